// The audit log of a clinic over all services, and the actions of operators in identity.
import { listOperatorAuditEntries } from '@clinic/lib/audit/operator-audit.ts';
import { type Module, rpcs } from '@clinic/lib/runtime/module.ts';
import { AuditLogService } from '@clinic/proto/identity/v1/audit_pb.js';
import { StateService } from '@clinic/proto/identity/v1/states_pb.js';
import type { App } from '../app.ts';
import { exportAuditLog, listAuditLog } from './list-audit-log.ts';

export const auditLog: Module<App> = {
  rpcs: [
    rpcs(AuditLogService, { listAuditLog, exportAuditLog }),
    rpcs(StateService, { listOperatorActions: ({ db }, request) => listOperatorAuditEntries(db, request) }),
  ],
};
