// Demo requests as the operators answer them, and what operators did.
import { DemoRequestService } from '@clinic/proto/platform/v1/demo_request_pb.js';
import { OperatorAuditService } from '@clinic/proto/platform/v1/operator_audit_pb.js';
import { z } from 'zod';
import type { Area } from '../http/route.ts';
import { instant, limit, page, text, uuid } from './schemas.ts';

const { method } = DemoRequestService;

const one = { params: z.object({ id: uuid }) };

export const operators: Area = {
  prefix: '/api/superadmin',
  tag: 'Operators: demos and audit',
  about: 'Demo requests and what operators changed, with the name of the key that each used. Send X-Admin-Key.',
  routes: [
    {
      method: 'get',
      path: '/api/superadmin/demo-requests',
      rpc: method.listDemoRequests,
      access: 'superadmin',
      rate: 'api',
      summary: 'List demo requests',
      request: { query: z.object({ status: z.enum(['pending', 'accepted', 'rejected', 'all']).default('all') }) },
      unwrap: 'demo_requests',
    },
    {
      method: 'post',
      path: '/api/superadmin/demo-requests/:id/accept',
      rpc: method.acceptDemoRequest,
      access: 'superadmin',
      rate: 'api',
      summary: 'Accept a demo request',
      request: { ...one, body: z.object({ expiresInDays: z.int().min(0).max(3650).nullish() }) },
      notFound: 'Demo request not found',
      creates: true,
      errors: ['NOT_FOUND', 'DEMO_NOT_PENDING'],
      example: { expiresInDays: 7 },
    },
    {
      method: 'post',
      path: '/api/superadmin/demo-requests/:id/reject',
      rpc: method.rejectDemoRequest,
      access: 'superadmin',
      rate: 'api',
      summary: 'Reject a demo request',
      request: one,
      notFound: 'Demo request not found',
      errors: ['NOT_FOUND', 'DEMO_NOT_PENDING'],
    },
    {
      method: 'get',
      path: '/api/superadmin/audit-log',
      rpc: OperatorAuditService.method.listOperatorActions,
      access: 'superadmin',
      rate: 'api',
      summary: 'What operators did',
      request: {
        query: z.object({
          operator: text(32).optional(),
          action: text(64).optional(),
          entity: text(64).optional(),
          entity_id: uuid.optional(),
          from: instant.optional(),
          to: instant.optional(),
          page,
          limit: limit(),
        }),
      },
    },
  ],
};
