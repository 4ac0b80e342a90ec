// Passes due reminders on to the sender, each minute. Concurrent workers share them by row locks. The reference of a message is unique,
// so a reminder that is passed on twice, for example after a crash, is sent once.
import { inTenant } from '@clinic/lib/db/db.ts';
import { job } from '@clinic/lib/jobs/jobs.ts';
import { ifFound } from '@clinic/lib/rpc/reasons.ts';
import { continueTrace, SpanKind } from '@clinic/lib/telemetry/tracing.ts';
import type { App } from '../app.ts';
import { sendLater } from '../outbound/send.ts';
import { decideDue } from './due-time-rules.ts';
import { findAppointment, isActive } from './plan-reminders.ts';
import { findReminderSettings } from './reminder-settings.sql.ts';
import { claimReminder, hasChannel, listDueReminders, type ReminderRow, saveReminderState, toReference } from './reminders.sql.ts';

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
  app.toSend.notify();
  return due.length;
}

async function sendOne(app: App, { clinic_id, appointment_id, kind }: ReminderRow): Promise<void> {
  const [appointment, clinic] = await Promise.all([findAppointment(app, clinic_id, appointment_id), ifFound(app.clinics.get(clinic_id))]);
  await inTenant(app.db, clinic_id, async (tx) => {
    const now = app.clock.now();
    const reminder = await claimReminder(tx, appointment_id, kind, now);
    if (!reminder) return;
    const wanted = clinic?.isActive && clinic.features.includes('reminders') && appointment && isActive(appointment.status);
    // When the start has changed, the event of that change is still to come and plans the reminder again.
    if (!wanted || appointment.startsAt.getTime() !== reminder.starts_at.getTime()) return saveReminderState(tx, reminder, 'none', null, now);
    const [settings, connected] = await Promise.all([findReminderSettings(tx, clinic_id), hasChannel(tx, clinic_id)]);
    const decision = settings.is_enabled && connected ? decideDue(kind, reminder.starts_at, now, clinic.timezone, settings) : 'drop';
    if (decision === 'drop') return saveReminderState(tx, reminder, 'none', null, now);
    if (decision !== 'send') return saveReminderState(tx, reminder, 'planned', decision, now);
    await sendLater(tx, clinic_id, toReference(reminder), {}, now);
    await saveReminderState(tx, reminder, 'queued', null, now);
  });
}
