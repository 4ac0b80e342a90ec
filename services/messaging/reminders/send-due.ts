// Hands the reminders whose time has come to the sender. Two workers share them by locking rows, and the sender knows each by
// its reference, so that a crash between the two leads to one message.
import { inTenant } from '@clinic/lib/db/db.ts';
import { isReason } from '@clinic/lib/rpc/reasons.ts';
import { continueTrace, SpanKind } from '@clinic/lib/telemetry/tracing.ts';
import type { App } from '../app.ts';
import { sendLater } from '../outbound/send.ts';
import { decideDue } from './due-time-rules.ts';
import { findAppointment, isActive } from './plan-reminders.ts';
import { findReminderSettings } from './reminder-settings.sql.ts';
import { claimReminder, hasChannel, listDueReminders, type ReminderRow, saveReminderState, toReference } from './reminders.sql.ts';

const BATCH = 500;

/** How many were looked at. */
export async function sendDueReminders(app: App): Promise<number> {
  const due = await listDueReminders(app.db, app.clock.now(), BATCH);
  for (const reminder of due) {
    try {
      await continueTrace(reminder.trace, 'reminder is due', SpanKind.INTERNAL, {}, () => sendOne(app, reminder));
    } catch (error) {
      app.log.warn({ err: error, appointment: reminder.appointment_id }, 'a reminder waits');
    }
  }
  app.toSend.notify();
  return due.length;
}

async function sendOne(app: App, { clinic_id, appointment_id, kind }: ReminderRow): Promise<void> {
  const [visit, clinic] = await Promise.all([findAppointment(app, clinic_id, appointment_id), findClinic(app, clinic_id)]);
  await inTenant(app.db, clinic_id, async (tx) => {
    const now = app.clock.now();
    const reminder = await claimReminder(tx, appointment_id, kind, now);
    if (!reminder) return;
    const wanted = clinic?.isActive && clinic.features.includes('reminders') && visit && isActive(visit.status);
    // Another time than planned: the news of it is on its way, and plans anew.
    if (!wanted || visit.startsAt.getTime() !== reminder.starts_at.getTime()) return saveReminderState(tx, reminder, 'none', null, now);
    const [{ is_enabled, quiet_from: from, quiet_until: until }, bound] = await Promise.all([findReminderSettings(tx, clinic_id), hasChannel(tx, clinic_id)]);
    const when = is_enabled && bound ? decideDue(kind, reminder.starts_at, now, clinic.timezone, { from, until }) : 'drop';
    if (when === 'drop') return saveReminderState(tx, reminder, 'none', null, now);
    if (when !== 'send') return saveReminderState(tx, reminder, 'planned', when, now);
    await sendLater(tx, clinic_id, toReference(reminder), {}, now);
    await saveReminderState(tx, reminder, 'queued', null, now);
  });
}

async function findClinic(app: App, clinicId: string) {
  try {
    return await app.clinics.get(clinicId);
  } catch (error) {
    if (isReason(error, 'NOT_FOUND')) return undefined;
    throw error;
  }
}
