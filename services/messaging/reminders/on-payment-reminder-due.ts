// The monthly reminder of a payment plan is due: stores it to be sent.
import { subscribe } from '@clinic/lib/events/events.ts';
import { dateIn } from '@clinic/lib/formats/local-date.ts';
import { PaymentReminderDueSchema } from '@clinic/proto/events/v1/dental_pb.js';
import type { App } from '../app.ts';
import { sendLater } from '../outbound/send.ts';
import { hasChannel } from './reminders.sql.ts';

const DAY_MS = 86_400_000;

export const onPaymentReminderDue = (app: App) =>
  subscribe('payment-reminder-due', 'dental', PaymentReminderDueSchema, async (tx, { paymentPlan, month }, { clinicId }) => {
    if (!paymentPlan) return;
    const { timezone } = await app.clinics.get(clinicId);
    const now = app.clock.now();
    // A reminder may be late by up to a month. A stream that is read from its beginning has older ones.
    if (month < dateIn(timezone, new Date(now.getTime() - 31 * DAY_MS)).slice(0, 7) || !(await hasChannel(tx, clinicId))) return;
    await sendLater(tx, clinicId, { kind: 'payment_reminder', paymentPlanId: paymentPlan.paymentPlanId, month }, { priority: 2 }, now);
  });
