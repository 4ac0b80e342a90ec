// Lists the actions of operators in messaging.
import { listOperatorAuditEntries } from '@clinic/lib/audit/operator-audit.ts';
import type { ListOperatorActionsRequest } from '@clinic/proto/platform/v1/operator_audit_pb.js';
import type { App } from '../app.ts';

export const listOperatorActions = (app: App, request: ListOperatorActionsRequest) => listOperatorAuditEntries(app.db, request);
