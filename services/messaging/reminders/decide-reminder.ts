// Decides whether a reminder is sent now: when it is due, and again before each attempt to send it.
import type { TenantTx } from '@clinic/lib/db/db.ts';
import type { Clinic } from '../clinics/clinics.ts';
import type { DropReasonOf } from '../outbound/message-kinds-rules.ts';
import { findReminderSettings } from '../outbound/reminder-settings.sql.ts';
import { decideDue } from './due-time-rules.ts';
import type { Appointment } from './find-appointment.ts';
import { isActive } from './plan-reminders.ts';
import { listReminders, type ReminderRow } from './reminders.sql.ts';

type Decision = 'send' | { drop: DropReasonOf<'appointment_reminder'> } | { notBefore: Date };

export async function decideReminder(tx: TenantTx, clinic: Clinic, appointment: Appointment | undefined, reminder: ReminderRow, now: Date): Promise<Decision> {
  if (!appointment || !isActive(appointment.status)) return { drop: 'visit_over' }; // plain-words: visit is in a stored code
  // The reminder is planned again when the event of the change arrives.
  if (appointment.startsAt.getTime() !== reminder.starts_at.getTime()) return { drop: 'visit_moved' }; // plain-words: visit is in a stored code
  const settings = await findReminderSettings(tx, tx.clinicId);
  if (!settings.is_enabled || !clinic.isActive || !clinic.features.includes('reminders')) return { drop: 'disabled' };
  const decision = decideDue(reminder.kind, reminder.starts_at, now, clinic.timezone, settings);
  if (decision === 'drop') return { drop: 'too_late' };
  if (decision !== 'send') return { notBefore: decision };
  const isSuperseded =
    reminder.kind === 'day' && (await listReminders(tx, reminder.appointment_id)).some((other) => other.kind === 'hours' && isDue(other, now));
  return isSuperseded ? { drop: 'superseded' } : 'send';
}

const isDue = ({ state, due_at }: ReminderRow, now: Date) => state === 'queued' || (state === 'planned' && due_at !== null && due_at <= now);
