// The reminders of a visit follow it. What is true now is asked of scheduling, so the order and repetition of the news do not
// matter; of two who ask at once the one with the newer revision is right.
import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { Tx } from '@clinic/lib/db/db.ts';
import { isReason } from '@clinic/lib/rpc/reasons.ts';
import type { App } from '../app.ts';
import { cancelOutbound } from '../outbound/outbound.sql.ts';
import { dueAt, REMINDER_KINDS } from './due-time-rules.ts';
import { findReminderSettings } from './reminder-settings.sql.ts';
import { lockReminders, type ReminderRow, toReference, upsertReminder } from './reminders.sql.ts';

export const isActive = (status: string) => status === 'confirmed' || status === 'pending';

/** A visit as scheduling knows it now; undefined when there is none. */
export async function findAppointment(app: App, clinicId: string, appointmentId: string) {
  try {
    const { status, startsAt, changedAt, revision, patientId } = await app.scheduling.lookup.findAppointment(
      { id: appointmentId },
      await app.clinics.callOptions(clinicId),
    );
    const instant = (at: typeof startsAt) => (at ? timestampDate(at) : app.clock.now());
    return { id: appointmentId, patientId, status, revision, startsAt: instant(startsAt), changedAt: instant(changedAt) };
  } catch (error) {
    if (isReason(error, 'NOT_FOUND')) return undefined;
    throw error;
  }
}

/** Returns the visit as it is now. */
export async function planReminders(app: App, tx: Tx, clinicId: string, appointmentId: string) {
  const visit = await findAppointment(app, clinicId, appointmentId);
  if (!visit) return undefined;
  const { timezone } = await app.clinics.get(clinicId);
  const now = app.clock.now();
  const known = await lockReminders(tx, clinicId, appointmentId);
  const { quiet_from: from, quiet_until: until } = await findReminderSettings(tx, clinicId);
  for (const kind of REMINDER_KINDS) {
    const before = known.find((one) => one.kind === kind);
    if (before && (before.revision >= visit.revision || isUpToDate(before, visit))) continue;
    const due = isActive(visit.status) ? dueAt(kind, visit.startsAt, visit.changedAt, timezone, { from, until }) : undefined;
    // One that has been handed to the sender and not been tried yet is not sent any more.
    if (before?.state === 'queued') await cancelOutbound(tx, clinicId, toReference(before), now);
    const plan = { clinic_id: clinicId, appointment_id: appointmentId, kind, revision: visit.revision, starts_at: visit.startsAt };
    await upsertReminder(tx, { ...plan, due_at: due ?? null, state: due ? 'planned' : 'none' }, now);
  }
  return visit;
}

/** A change that leaves the time as it is leaves the reminder as it is, sent or not. */
const isUpToDate = (before: ReminderRow, visit: { status: string; startsAt: Date }) =>
  before.state !== 'none' && isActive(visit.status) && before.starts_at.getTime() === visit.startsAt.getTime();
