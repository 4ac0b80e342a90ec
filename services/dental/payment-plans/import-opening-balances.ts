// Imports what patients owed before the clinic used this system, as payment plans. The id of each is derived from its patient, so that
// only one of several concurrent imports adds it.
import { audit } from '@clinic/lib/audit/audit.ts';
import { invalid } from '@clinic/lib/errors/errors.ts';
import { emitAll } from '@clinic/lib/events/outbox.ts';
import { parseLocalDate } from '@clinic/lib/formats/local-date.ts';
import { parseCents } from '@clinic/lib/formats/money.ts';
import { parseText } from '@clinic/lib/formats/text.ts';
import { parseUuid } from '@clinic/lib/formats/uuid.ts';
import { idempotent } from '@clinic/lib/rpc/idempotency.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import { type ImportOpeningBalancesRequest, type OpeningBalance, OpeningBalanceService } from '@clinic/proto/dental/v1/opening_balance_pb.js';
import { PaymentPlanUpdatedSchema } from '@clinic/proto/events/v1/dental_pb.js';
import { v5 } from 'uuid';
import type { App } from '../app.ts';
import { insertOpeningBalances, listOpeningBalances, type NewOpeningBalance, recordsOf } from './opening-balances.sql.ts';
import { clinicToday } from './payment-plan-changes.ts';
import { toState } from './payment-plans.sql.ts';
import { statusOn } from './payment-status-rules.ts';

const MAX_BALANCES = 500;

export async function importOpeningBalances(app: App, request: ImportOpeningBalancesRequest, call: Call) {
  const { id: clinicId } = clinicOf(call);
  const today = clinicToday(app, call);
  if (request.balances.length > MAX_BALANCES) invalid('balances', `must have at most ${MAX_BALANCES} entries`);
  const balances = request.balances.map((balance) => toNewBalance(clinicId, balance, today));
  return idempotent(app.db, call, OpeningBalanceService.method.importOpeningBalances, request, async (tx) => {
    const added = request.dryRun ? [] : await insertOpeningBalances(tx, balances, today, app.clock.now());
    const events = added.map((plan) => ({ clinicId, init: { paymentPlan: toState(plan) } }));
    await emitAll(tx, PaymentPlanUpdatedSchema, events);
    await Promise.all(added.map(({ id }) => audit(tx, clinicId, call.caller, { action: 'payment_plan.created', entityId: id })));
    const created = new Set(added.map(({ id }) => id));
    const stored = await listOpeningBalances(tx, balances);
    const results = balances.map((balance) => {
      const { id, patient_id, total_cents } = balance;
      const same = stored.filter((one) => one.id === id || recordsOf(balance).includes(one.patient_id));
      const isNew = created.delete(id) || (request.dryRun && same.length === 0);
      if (isNew) stored.push({ id, patient_id, total_cents });
      return isNew ? 'created' : same.some((one) => one.total_cents === total_cents) ? 'unchanged' : 'differs';
    });
    return { results };
  });
}

function toNewBalance(clinicId: string, { patientId, amount, dueDate, description, mergedIds }: OpeningBalance, today: string): NewOpeningBalance {
  const patient_id = parseUuid('patient_id', patientId);
  const next_due_date = dueDate === undefined ? null : parseLocalDate('due_date', dueDate);
  return {
    id: v5(`opening-balance/${patient_id}`, clinicId),
    patient_id,
    description: parseText('description', description ?? 'Saldo inicial', 500),
    total_cents: parseCents('amount', amount),
    next_due_date,
    status: statusOn(today, { status: 'active', next_due_date }),
    merged_ids: mergedIds.map((id) => parseUuid('merged_ids', id)),
  };
}
