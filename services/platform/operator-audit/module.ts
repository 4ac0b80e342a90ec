// The actions of operators in all services, and a metric of the commands that they must run regularly.
import { type Module, rpcs } from '@clinic/lib/runtime/module.ts';
import { OperatorAuditService } from '@clinic/proto/platform/v1/operator_audit_pb.js';
import type { App } from '../app.ts';
import { listOperatorActions } from './list-operator-actions.ts';
import { watchCommands } from './watch-commands.ts';

export const operatorAudit: Module<App> = {
  rpcs: [rpcs(OperatorAuditService, { listOperatorActions })],
  loops: (app) => [watchCommands(app)],
};
