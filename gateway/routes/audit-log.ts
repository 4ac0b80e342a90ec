import { isAuditAction, isAuditEntity } from '@clinic/lib/audit/audit-actions.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { AuditLogService } from '@clinic/proto/identity/v1/audit_pb.js';
import { z } from 'zod';
import { area } from './area.ts';
import { instant, pages, text } from './schemas.ts';

const { method } = AuditLogService;

/** An id need not be a UUID: commands for all records write "all". */
const id = text(100)
  .transform((value) => (isUuid(value) ? value.toLowerCase() : value))
  .optional();

/** The filters for what was done, and to what. */
export const what = {
  action: z.string().refine(isAuditAction, 'must be an action of the audit log, for example appointment.booked').optional(),
  entity: z.string().refine(isAuditEntity, 'must be an entity of the audit log, for example appointment').optional(),
  entity_id: id,
};
const filters = { from: instant.optional(), to: instant.optional(), actor: id, ...what };

export const auditLog = area({
  prefix: '/api', // the longest prefix that the two paths share
  tag: 'Audit log',
  about:
    'Who changed what and who read a national id, from all services. Personal data is masked. The entries form a hash chain, so that tampering can be detected.',
  all: { scope: 'none' },
  routes: [
    {
      method: 'get',
      path: '/api/audit-log',
      rpc: method.listAuditLog,
      summary: 'List the audit log',
      query: { ...filters, ...pages, cursor: text(2_000).optional() },
    },
    { method: 'get', path: '/api/audit-log.csv', rpc: method.exportAuditLog, query: filters, download: 'audit-log.csv' },
  ],
});
