import { DemoRequestService } from '@clinic/proto/platform/v1/demo_request_pb.js';
import { OperatorAuditService } from '@clinic/proto/platform/v1/operator_audit_pb.js';
import { z } from 'zod';
import { area } from './area.ts';
import { what } from './audit-log.ts';
import { instant, pages, text } from './schemas.ts';

const { method } = DemoRequestService;

export const operators = area({
  prefix: '/api/superadmin',
  tag: 'Operators: demos and audit',
  about: 'Demo requests, and the actions of operators with the name of the key that each used. Send X-Admin-Key.',
  all: { scope: 'none', notFound: 'Demo request not found' },
  routes: [
    {
      method: 'get',
      path: '/api/superadmin/demo-requests',
      rpc: method.listDemoRequests,
      query: { status: z.enum(['pending', 'accepted', 'rejected', 'all']).default('all') },
      unwrap: 'demo_requests',
    },
    {
      method: 'post',
      path: '/api/superadmin/demo-requests/:id/accept',
      rpc: method.acceptDemoRequest,
      summary: 'Accept a demo request',
      body: { expiresInDays: z.int().min(0).max(3650).nullish() },
      status: 200,
      creates: true,
      errors: ['DEMO_NOT_PENDING'],
      example: { expiresInDays: 7 },
    },
    {
      method: 'post',
      path: '/api/superadmin/demo-requests/:id/reject',
      rpc: method.rejectDemoRequest,
      summary: 'Reject a demo request',
      errors: ['DEMO_NOT_PENDING'],
    },
    {
      method: 'get',
      path: '/api/superadmin/audit-log',
      rpc: OperatorAuditService.method.listOperatorActions,
      summary: 'List actions of operators',
      query: {
        operator: text(32).optional(),
        ...what,
        from: instant.optional(),
        to: instant.optional(),
        ...pages,
      },
    },
  ],
});
