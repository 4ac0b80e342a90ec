// Stores due reminders as messages, every minute, or as mails if the clinic has no chat or the patient no phone. Row locks divide them among
// concurrent workers. The reference of a message is unique, so a reminder that is processed twice, for example after a crash, is sent once.
import { asSystem, inTenant } from '@clinic/lib/db/db.ts';
import { job } from '@clinic/lib/jobs/jobs.ts';
import { ifFound } from '@clinic/lib/rpc/reasons.ts';
import { continueTrace, SpanKind } from '@clinic/lib/telemetry/tracing.ts';
import type { App } from '../app.ts';
import { hasChannel } from '../channel/channels.sql.ts';
import { sweep } from '../clinics/sweep.ts';
import { storeMail } from '../mail/store-mail.ts';
import type { DropReason } from '../outbound/message-kinds-rules.ts';
import { encodeReference } from '../outbound/reference-rules.ts';
import { sendLater } from '../outbound/send.ts';
import { decideReminder } from './decide-reminder.ts';
import { type Appointment, findAppointment } from './find-appointment.ts';
import { lineOf } from './prepare-appointment-messages.ts';
import { claimReminder, listDueReminders, type ReminderRow, saveReminderState, toFormsReference, toReference } from './reminders.sql.ts';

const BATCH_SIZE = 500;
/** Limits a run in which reminders fail and therefore stay due. */
const MAX_BATCHES = 20;

export const sendRemindersJob = (app: App) =>
  job('send-reminders', { cron: '* * * * *', retries: 0 }, async () => {
    for (let batch = 0; batch < MAX_BATCHES && (await sendDueReminders(app)) === BATCH_SIZE; batch++);
  });

/** Returns the number of reminders in the batch. */
export async function sendDueReminders(app: App): Promise<number> {
  const due = await listDueReminders(app.db, app.clock.now(), BATCH_SIZE);
  const send = (reminder: ReminderRow) => continueTrace(reminder.trace, 'reminder is due', SpanKind.INTERNAL, {}, () => sendOne(app, reminder));
  await sweep(app, due, 'a reminder could not be processed', send, ({ appointment_id }) => ({ appointment: appointment_id }));
  return due.length;
}

async function sendOne(app: App, due: ReminderRow): Promise<void> {
  const { clinic_id, appointment_id, kind } = due;
  const [appointment, clinic] = await Promise.all([findAppointment(app, clinic_id, appointment_id), ifFound(app.clinics.get(clinic_id))]);
  const toMail = await inTenant(app.db, clinic_id, async (tx) => {
    const now = app.clock.now();
    const reminder = await claimReminder(tx, due, now);
    if (!reminder) return undefined;
    const decision = clinic ? await decideReminder(tx, clinic, appointment, reminder, now) : NOT_CONNECTED;
    if (decision === 'send' && appointment && (!appointment.reachablePhone || !(await hasChannel(tx, clinic_id)))) return { appointment, reminder };
    if (decision === 'send') {
      await sendLater(tx, clinic_id, toReference(reminder), {}, now);
      if (kind === 'day' && appointment && appointment.missingForms > 0) await sendLater(tx, clinic_id, toFormsReference(reminder), {}, now);
    }
    await saveReminderState(tx, { ...reminder, ...toState(decision) }, now);
    return undefined;
  });
  if (toMail) await mailReminder(app, toMail.appointment, toMail.reminder);
}

/**
 * The mail and the state are stored together, unless the reminder was planned again or mailed meanwhile. The mail has the reference of the reminder, so that
 * it is sent once. Without an address nothing is sent.
 */
async function mailReminder(app: App, appointment: Appointment, reminder: ReminderRow): Promise<void> {
  const mail = await composeMail(app, appointment, reminder);
  // As the system, because a mail belongs to no clinic.
  await asSystem(app.db, async (tx) => {
    const now = app.clock.now();
    const claimed = await claimReminder(tx, reminder, now);
    if (claimed?.revision !== reminder.revision) return;
    if (mail) await storeMail(app, tx, mail);
    const outcome = mail ? ({ state: 'queued', reason: null, mailed_at: now } as const) : ({ state: 'none', reason: 'no_address' } as const);
    await saveReminderState(tx, { ...claimed, due_at: null, ...outcome }, now);
  });
}

/** Undefined if there is no address. */
async function composeMail(app: App, appointment: Appointment, reminder: ReminderRow) {
  const { clinic_id: clinicId, appointment_id: id, kind } = reminder;
  const options = await app.clinics.callOptions(clinicId);
  const { patientName: name, reachableEmail } = appointment;
  // The address given with an online booking is used only once the desk has confirmed the request.
  const to = reachableEmail ?? (appointment.status === 'confirmed' ? appointment.bookingEmail : undefined);
  if (!to) return undefined;
  // Forms show health data, and anyone can book online with the phone of a patient and an own address.
  const asksForForms = kind === 'day' && appointment.missingForms > 0 && reachableEmail !== undefined;
  const [{ name: clinic }, { link: manage }, forms] = await Promise.all([
    app.clinics.get(clinicId),
    app.scheduling.manageLinks.getManageLink({ appointmentId: id }, options),
    asksForForms ? ifFound(app.scheduling.forms.requestAppointmentForms({ appointmentId: id }, options)) : undefined,
  ]);
  const parameters = { name, clinic, appointment: lineOf(appointment, { language: 'es' }), manage, ...(forms && { forms: forms.link }) };
  return { kind: 'appointment_reminder', to, parameters, reference: encodeReference(toReference(reminder)) };
}

const NOT_CONNECTED = { drop: 'disconnected' } as const;

function toState(decision: 'send' | { drop: DropReason } | { notBefore: Date }): Pick<ReminderRow, 'state' | 'due_at' | 'reason'> {
  if (decision === 'send') return { state: 'queued', due_at: null, reason: null };
  if ('drop' in decision) return { state: 'none', due_at: null, reason: decision.drop };
  return { state: 'planned', due_at: decision.notBefore, reason: null };
}
