// The rule of a doctor that is in force now.
import { readTenant } from '@clinic/lib/db/db.ts';
import { found } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetCommissionRuleRequest } from '@clinic/proto/scheduling/v1/commission_pb.js';
import type { App } from '../app.ts';
import { findRuleStatement, toRule } from './commissions.sql.ts';

export async function getCommissionRule(app: App, request: GetCommissionRuleRequest, call: Call) {
  const { id } = clinicOf(call);
  const [rule] = isUuid(request.doctorId) ? await readTenant(app.db, id, findRuleStatement, [id, request.doctorId]) : [];
  return toRule(found(rule, 'Doctor'));
}
