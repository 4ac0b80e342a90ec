// Passes due reminders on to the sender, each minute; where the clinic has no chat or the patient no phone, as mails. Concurrent workers share them by row locks. The reference of a message is unique,
// so a reminder that is passed on twice, for example after a crash, is sent once.
import { inTenant } from '@clinic/lib/db/db.ts';
import { job } from '@clinic/lib/jobs/jobs.ts';
import { ifFound } from '@clinic/lib/rpc/reasons.ts';
import { continueTrace, SpanKind } from '@clinic/lib/telemetry/tracing.ts';
import type { App } from '../app.ts';
import type { DropReason } from '../outbound/message-kinds-rules.ts';
import { sendLater } from '../outbound/send.ts';
import { decideReminder } from './decide-reminder.ts';
import { mailReminder } from './mail-reminder.ts';
import { findAppointment } from './plan-reminders.ts';
import { claimReminder, hasChannel, listDueReminders, type ReminderRow, saveReminderState, toFormsReference, toReference } from './reminders.sql.ts';

const BATCH_SIZE = 500;
/** Bounds a run when reminders cannot be sent, and so stay due. */
const MAX_BATCHES = 20;

export const sendRemindersJob = (app: App) =>
  job('send-reminders', { cron: '* * * * *', retries: 0 }, async () => {
    for (let batch = 0; batch < MAX_BATCHES && (await sendDueReminders(app)) === BATCH_SIZE; batch++);
  });

/** Returns the number of reminders in the batch. */
export async function sendDueReminders(app: App): Promise<number> {
  const due = await listDueReminders(app.db, app.clock.now(), BATCH_SIZE);
  for (const reminder of due) {
    try {
      await continueTrace(reminder.trace, 'reminder is due', SpanKind.INTERNAL, {}, () => sendOne(app, reminder));
    } catch (error) {
      app.log.warn({ err: error, appointment: reminder.appointment_id }, 'reminder not sent, the next run tries again');
    }
  }
  return due.length;
}

async function sendOne(app: App, { clinic_id, appointment_id, kind }: ReminderRow): Promise<void> {
  const [appointment, clinic] = await Promise.all([findAppointment(app, clinic_id, appointment_id), ifFound(app.clinics.get(clinic_id))]);
  const toMail = await inTenant(app.db, clinic_id, async (tx) => {
    const now = app.clock.now();
    const reminder = await claimReminder(tx, appointment_id, kind, now);
    if (!reminder) return undefined;
    const decision = clinic ? await decideReminder(tx, clinic, appointment, reminder, now) : NOT_CONNECTED;
    if (decision === 'send' && appointment && (appointment.withoutPhone || !(await hasChannel(tx, clinic_id)))) return { appointment, reminder };
    if (decision === 'send') {
      await sendLater(tx, clinic_id, toReference(reminder), {}, now);
      if (kind === 'day' && appointment && appointment.missingForms > 0) await sendLater(tx, clinic_id, toFormsReference(reminder), {}, now);
    }
    await saveReminderState(tx, { ...reminder, ...toState(decision) }, now);
    return undefined;
  });
  if (toMail) await mailReminder(app, toMail.appointment, toMail.reminder);
}

const NOT_CONNECTED = { drop: 'disconnected' } as const;

function toState(decision: 'send' | { drop: DropReason } | { notBefore: Date }): Pick<ReminderRow, 'state' | 'due_at' | 'reason'> {
  if (decision === 'send') return { state: 'queued', due_at: null, reason: null };
  if ('drop' in decision) return { state: 'none', due_at: null, reason: decision.drop };
  return { state: 'planned', due_at: decision.notBefore, reason: null };
}
