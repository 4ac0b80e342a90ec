// Creates a payment plan, with or without instalments.
import { fail, invalid } from '@clinic/lib/errors/errors.ts';
import { parseLocalDate } from '@clinic/lib/formats/local-date.ts';
import { parseCents } from '@clinic/lib/formats/money.ts';
import { parseInteger } from '@clinic/lib/formats/numbers.ts';
import { parseText } from '@clinic/lib/formats/text.ts';
import { parseUuid } from '@clinic/lib/formats/uuid.ts';
import { idempotent, settled } from '@clinic/lib/rpc/idempotency.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import { type CreatePaymentPlanRequest, PaymentPlanService } from '@clinic/proto/dental/v1/payment_plan_pb.js';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import { getPatientToChange } from '../patients/find-patients.ts';
import { parseNotes } from '../treatment-plans/parse-fields.ts';
import { findPlan } from '../treatment-plans/sql/treatment-plans.sql.ts';
import { divideIntoInstalments, type Instalment } from './instalment-rules.ts';
import { insertInstalments } from './instalments.sql.ts';
import { clinicToday, getPaymentPlanDetail, publishPaymentPlanChange } from './payment-plan-changes.ts';
import { insertPaymentPlan } from './payment-plans.sql.ts';
import { statusAfterChange } from './payment-status-rules.ts';

export async function createPaymentPlan(app: App, request: CreatePaymentPlanRequest, call: Call) {
  const today = clinicToday(app, call);
  const fields = parseFields(request);
  const instalments = parseInstalments(request, fields.total_cents, today);
  const treatment_plan_id = request.treatmentPlanId ? parseUuid('treatment_plan_id', request.treatmentPlanId) : null;
  const getPatient = await settled(getPatientToChange(app, call, parseUuid('patient_id', request.patientId)));
  return idempotent(app.db, call, PaymentPlanService.method.createPaymentPlan, request, async (tx) => {
    const { id: patient_id } = getPatient();
    if (treatment_plan_id && (await findPlan(tx, treatment_plan_id))?.patient_id !== patient_id) fail('NOT_FOUND', 'Treatment plan not found');
    const id = v7();
    const status = statusAfterChange({ status: 'active', total_cents: fields.total_cents, paid_cents: 0n }, instalments, today);
    const [plan] = await Promise.all([
      insertPaymentPlan(tx, { id, patient_id, treatment_plan_id, ...fields, ...status }, today, app.clock.now()),
      instalments.length > 0 && insertInstalments(tx, id, instalments),
    ]);
    await publishPaymentPlanChange(tx, call, plan, { action: 'payment_plan.created', entityId: id });
    return getPaymentPlanDetail(tx, id, today);
  });
}

function parseFields(request: CreatePaymentPlanRequest) {
  const day = request.reminderDayOfMonth;
  return {
    description: parseText('description', request.description, 500),
    total_cents: parseCents('total_amount', request.totalAmount),
    reminder_enabled: request.reminderEnabled,
    reminder_day_of_month: day === undefined ? null : parseInteger('reminder_day_of_month', day, 1, 28),
    notes: parseNotes(request.notes),
  };
}

function parseInstalments({ installments, firstDueDate }: CreatePaymentPlanRequest, total: bigint, today: string): Instalment[] {
  if (installments === undefined) {
    if (firstDueDate) invalid('first_due_date', 'is only allowed with installments');
    return [];
  }
  const count = parseInteger('installments', installments, 1, 60);
  if (total < BigInt(count)) invalid('installments', 'must be at most the number of cents of total_amount');
  return firstDueDate ? divideIntoInstalments(total, count, parseLocalDate('first_due_date', firstDueDate)) : divideIntoInstalments(total, count, today, 1);
}
