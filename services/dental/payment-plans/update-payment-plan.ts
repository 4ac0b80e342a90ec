// Changes a payment plan, or cancels it: the plan and its payments remain stored.
import { isUnchanged, maskChanges } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { parseInteger, parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { parseText } from '@clinic/lib/formats/text.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { CancelPaymentPlanRequest, UpdatePaymentPlanRequest } from '@clinic/proto/dental/v1/payment_plan_pb.js';
import type { App } from '../app.ts';
import { PERSONAL_FIELDS, parseNotes } from '../treatment-plans/parse-fields.ts';
import { listInstalments } from './instalments.sql.ts';
import { clinicToday, publishPaymentPlanChange } from './payment-plan-changes.ts';
import { lockPaymentPlan, type PaymentPlanRow, toProto, updatePaymentPlan as update } from './payment-plans.sql.ts';
import { PAYMENT_STATUSES, type PaymentStatus, statusAfterChange, statusSetByUser } from './payment-status-rules.ts';

type Changes = Partial<Pick<PaymentPlanRow, 'description' | 'reminder_enabled' | 'reminder_day_of_month' | 'notes'>>;

export function updatePaymentPlan(app: App, request: UpdatePaymentPlanRequest, call: Call) {
  const { description, status, reminderEnabled, reminderDayOfMonth, notes } = request;
  const changes: Changes = {
    ...(description !== undefined && { description: parseText('description', description, 500) }),
    ...(reminderEnabled !== undefined && { reminder_enabled: reminderEnabled }),
    ...(reminderDayOfMonth !== undefined && {
      reminder_day_of_month: reminderDayOfMonth === 0 ? null : parseInteger('reminder_day_of_month', reminderDayOfMonth, 1, 28),
    }),
    ...(notes !== undefined && { notes: parseNotes(notes) }),
  };
  return changePaymentPlan(app, call, request.id, changes, status === undefined ? undefined : parseOneOf('status', status, PAYMENT_STATUSES));
}

export const cancelPaymentPlan = (app: App, { id }: CancelPaymentPlanRequest, call: Call) => changePaymentPlan(app, call, id, {}, 'cancelled');

/** A status in `wanted` applies until the next payment, void or change; without it the status follows the amount paid. */
async function changePaymentPlan(app: App, call: Call, id: string, changes: Changes, wanted: PaymentStatus | undefined) {
  if (!isUuid(id)) fail('NOT_FOUND', 'Payment plan not found');
  const today = clinicToday(app, call);
  return inTenant(app.db, clinicOf(call).id, async (tx) => {
    const before = found(await lockPaymentPlan(tx, id), 'Payment plan');
    if (wanted === undefined && isUnchanged(before, changes)) return toProto(before, today);
    const instalments = await listInstalments(tx, id);
    const status = wanted === undefined ? statusAfterChange(before, instalments, today) : statusSetByUser(wanted, before, instalments, today);
    const changed = { ...before, ...changes, ...status };
    if (isUnchanged(before, changed)) return toProto(before, today);
    const after = await update(tx, changed, today, app.clock.now());
    await publishPaymentPlanChange(tx, call, after, { action: 'payment_plan.updated', entityId: id, changes: maskChanges(before, after, PERSONAL_FIELDS) });
    return toProto(after, today);
  });
}
