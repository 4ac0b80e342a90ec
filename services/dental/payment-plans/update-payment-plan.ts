// Changes a payment plan.
import { parseInteger, parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { parseText } from '@clinic/lib/formats/text.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { UpdatePaymentPlanRequest } from '@clinic/proto/dental/v1/payment_plan_pb.js';
import type { App } from '../app.ts';
import { parseNotes } from '../treatment-plans/parse-fields.ts';
import { changePaymentPlan, clinicToday, type PaymentPlanChanges } from './payment-plan-changes.ts';
import { toProto } from './payment-plans.sql.ts';
import { PAYMENT_STATUSES } from './payment-status-rules.ts';

export async function updatePaymentPlan(app: App, request: UpdatePaymentPlanRequest, call: Call) {
  const { description, status, reminderEnabled, reminderDayOfMonth, notes } = request;
  const changes: PaymentPlanChanges = {
    ...(description !== undefined && { description: parseText('description', description, 500) }),
    ...(reminderEnabled !== undefined && { reminder_enabled: reminderEnabled }),
    ...(reminderDayOfMonth !== undefined && {
      reminder_day_of_month: reminderDayOfMonth === 0 ? null : parseInteger('reminder_day_of_month', reminderDayOfMonth, 1, 28),
    }),
    ...(notes !== undefined && { notes: parseNotes(notes) }),
  };
  const wanted = status === undefined ? undefined : parseOneOf('status', status, PAYMENT_STATUSES);
  return toProto(await changePaymentPlan(app, call, request.id, changes, wanted), clinicToday(app, call));
}
