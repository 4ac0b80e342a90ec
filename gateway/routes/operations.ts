import { OperationsService, UsageService } from '@clinic/proto/identity/v1/operations_pb.js';
import { z } from 'zod';
import { area } from './area.ts';
import { clearableNumber, date, instant, integerText, maybe, pages, text } from './schemas.ts';

const { method } = OperationsService;
const period = { from: date.optional(), to: date.optional() };

export const operations = area({
  prefix: '/api/superadmin',
  tag: 'Operators: limits, maintenance and use',
  about:
    'Limits and read-only mode of clinics, maintenance and notices, which take effect within seconds, and the use of the product by clinic and day. Send X-Admin-Key.',
  all: { scope: 'none', notFound: 'Clinic not found' },
  routes: [
    { method: 'get', path: '/api/superadmin/clinics/:clinicId/limits', rpc: method.getClinicLimits },
    {
      method: 'patch',
      path: '/api/superadmin/clinics/:clinicId/limits',
      rpc: method.updateClinicLimits,
      body: {
        read_only: z.boolean().optional(),
        requests_per_minute: clearableNumber(z.int().min(1).max(1_000_000)),
        concurrent_requests: clearableNumber(z.int().min(1).max(1_000)),
      },
      example: { requests_per_minute: 600, concurrent_requests: 10 },
    },
    { method: 'get', path: '/api/superadmin/clinics/:clinicId/usage', rpc: UsageService.method.getClinicUsage, query: period },
    {
      method: 'get',
      path: '/api/superadmin/usage',
      rpc: UsageService.method.getTopUsage,
      query: {
        ...period,
        top: integerText(1, 100).default(10),
        by: z.enum(['requests', 'messages', 'assistant_tokens', 'storage_bytes']).default('requests'),
      },
    },
    { method: 'get', path: '/api/superadmin/maintenance', rpc: method.getMaintenance, notFound: 'Maintenance not found' },
    {
      method: 'put',
      path: '/api/superadmin/maintenance',
      rpc: method.setMaintenance,
      body: { from: instant.optional(), until: instant.nullish(), message: maybe(text(500)) },
      example: { from: '2099-08-03T04:00:00Z', until: '2099-08-03T05:00:00Z', message: 'Mantenimiento programado' },
    },
    { method: 'delete', path: '/api/superadmin/maintenance', rpc: method.endMaintenance, notFound: 'Maintenance not found' },
    { method: 'get', path: '/api/superadmin/notices', rpc: method.listNotices, query: { ...pages } },
    {
      method: 'post',
      path: '/api/superadmin/notices',
      rpc: method.createNotice,
      body: { message: text(1_000), severity: maybe(z.enum(['info', 'warning', 'critical'])), from: instant.nullish(), until: instant.nullish() },
      creates: true,
      example: {
        message: 'El domingo de 4 a 5 a. m. no se podrán guardar cambios.',
        severity: 'warning',
        from: '2099-08-01T06:00:00Z',
        until: '2099-08-03T05:00:00Z',
      },
    },
    { method: 'delete', path: '/api/superadmin/notices/:id', rpc: method.deleteNotice, notFound: 'Notice not found' },
  ],
});
