// The commission rule of a doctor that is in force now.
import { found } from '@clinic/lib/errors/errors.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetCommissionRuleRequest } from '@clinic/proto/scheduling/v1/commission_pb.js';
import type { App } from '../app.ts';
import { findRule, toRule } from './commissions.sql.ts';

export async function getCommissionRule(app: App, request: GetCommissionRuleRequest, call: Call) {
  return toRule(found(await findRule(app.db, clinicOf(call).id, request.doctorId), 'Doctor'));
}
