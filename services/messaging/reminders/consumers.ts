// Consumers of events that cause a message to a patient. They store the message, which is composed when it is sent (prepares.ts).
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { type Envelope, subscribe } from '@clinic/lib/events/events.ts';
import { dateIn } from '@clinic/lib/formats/local-date.ts';
import { toDate } from '@clinic/lib/formats/timestamp.ts';
import { type PaymentReminderDue, PaymentReminderDueSchema } from '@clinic/proto/events/v1/dental_pb.js';
import { RecallMessageDueSchema } from '@clinic/proto/events/v1/recall_pb.js';
import { FormSentSchema, PrescriptionSentSchema, WaitlistOfferedSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import type { App } from '../app.ts';
import { hasChannel } from '../channel/channels.sql.ts';
import { endOfQuietHours } from '../outbound/quiet-hours-rules.ts';
import { findReminderSettings } from '../outbound/reminder-settings.sql.ts';
import { sendLater } from '../outbound/send.ts';
import { startOfferAt } from './start-offers.ts';

const DAY_MS = 86_400_000;

export const onRecallMessageDue = (app: App) =>
  subscribe('recall-message-due', 'dental', RecallMessageDueSchema, (tx, { contactId }, { clinicId }) =>
    sendLater(tx, clinicId, { kind: 'recall', contactId }, { priority: 2 }, app.clock.now()),
  );

/** A slot is offered to a patient on the waitlist. Without chat the staff may call the patient. */
export const onWaitlistOffered = (app: App) =>
  subscribe('waitlist-offered', 'scheduling', WaitlistOfferedSchema, async (tx, { entryId, offerId, startsAt, expiresAt, timezone }, { clinicId }) => {
    const now = app.clock.now();
    if (!expiresAt || timestampDate(expiresAt) <= now) return;
    const neededBy = toDate(startsAt);
    if (await hasChannel(tx, clinicId)) return sendLater(tx, clinicId, { kind: 'waitlist', entryId, offerId }, { priority: 0, neededBy }, now);
    const quietUntil = endOfQuietHours(now, neededBy, timezone, await findReminderSettings(tx, clinicId));
    await startOfferAt(tx, { clinicId, entryId, offerId }, quietUntil ?? now);
  });

/** The monthly reminder of a payment plan is due. */
export const onPaymentReminderDue = (app: App) =>
  subscribe(
    'payment-reminder-due',
    'dental',
    PaymentReminderDueSchema,
    async (tx, { paymentPlan, month }, { clinicId }, { timezone }) => {
      if (!paymentPlan) return;
      const now = app.clock.now();
      // A reminder may be late by up to a month. A stream that is read from its beginning contains older events.
      if (month < dateIn(timezone, new Date(now.getTime() - 31 * DAY_MS)).slice(0, 7) || !(await hasChannel(tx, clinicId))) return;
      await sendLater(tx, clinicId, { kind: 'payment_reminder', paymentPlanId: paymentPlan.paymentPlanId, month }, { priority: 2 }, now);
    },
    { read: (_event: PaymentReminderDue, { clinicId }: Envelope) => app.clinics.get(clinicId) },
  );

export const onPrescriptionSent = (app: App) =>
  subscribe('prescription-sent', 'scheduling', PrescriptionSentSchema, (tx, { linkId }, { clinicId }) =>
    sendLater(tx, clinicId, { kind: 'prescription', linkId }, { priority: 0 }, app.clock.now()),
  );

/** The link of a form is to be sent by chat. */
export const onFormSent = (app: App) =>
  subscribe('form-sent', 'scheduling', FormSentSchema, (tx, { formId, sendId }, { clinicId }) =>
    sendLater(tx, clinicId, { kind: 'form', formId, sendId }, { priority: 0 }, app.clock.now()),
  );
