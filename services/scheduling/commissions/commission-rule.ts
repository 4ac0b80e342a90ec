// The commission rule of a doctor that is in force now.
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, found, invalid } from '@clinic/lib/errors/errors.ts';
import { MAX_CENTS } from '@clinic/lib/formats/money.ts';
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetCommissionRuleRequest, SetCommissionRuleRequest } from '@clinic/proto/scheduling/v1/commission_pb.js';
import type { App } from '../app.ts';
import { RULE_TYPES } from './commission-rules.ts';
import { findRule, findRuleIn, setRule, toRule } from './commissions.sql.ts';

export async function getCommissionRule(app: App, request: GetCommissionRuleRequest, call: Call) {
  return toRule(found(await findRule(app.db, clinicOf(call).id, request.doctorId), 'Doctor'));
}

const MAX = { percentage: 10_000n, fixed: MAX_CENTS };

/** Sets the rule for payments from now on. The rule that is already in force stays as it is. */
export async function setCommissionRule(app: App, request: SetCommissionRuleRequest, call: Call) {
  const { doctorId, value } = request;
  const type = parseOneOf('type', request.type, RULE_TYPES);
  if (value < 0n || value > MAX[type])
    invalid('value', type === 'percentage' ? 'must be a percentage from 0 to 100' : 'must be an amount from 0 to 99999999.99');
  if (!isUuid(doctorId)) fail('NOT_FOUND', 'Doctor not found');
  return inTenant(app.db, clinicOf(call).id, async (tx) => {
    const before = found(await findRuleIn(tx, doctorId), 'Doctor');
    if (before.type === type && before.value === value) return toRule(before);
    const rule = found(await setRule(tx, doctorId, { type, value }, app.clock.now()), 'Doctor');
    const changes = { type, value: value.toString() };
    await audit(tx, tx.clinicId, call.caller, { action: 'doctor.commission_rule_set', entityId: doctorId, changes });
    return toRule(rule);
  });
}
