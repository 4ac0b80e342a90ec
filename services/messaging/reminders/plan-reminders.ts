// Plans the reminders of an appointment from its current state in scheduling, so that order and repetition of the events do not matter.
// Of two concurrent runs the one that read the higher revision wins.
import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { Tx } from '@clinic/lib/db/db.ts';
import { ifFound } from '@clinic/lib/rpc/reasons.ts';
import type { App } from '../app.ts';
import { cancelOutbound } from '../outbound/outbound.sql.ts';
import { findReminderSettings } from '../outbound/reminder-settings.sql.ts';
import { dueAt, REMINDER_KINDS } from './due-time-rules.ts';
import { lockReminders, type ReminderRow, toReference, upsertReminder } from './reminders.sql.ts';

export const isActive = (status: string) => status === 'confirmed' || status === 'pending';

/** The appointment as scheduling has it now; undefined when it does not exist. */
export async function findAppointment(app: App, clinicId: string, id: string) {
  const found = await ifFound(app.scheduling.lookup.findAppointment({ id }, await app.clinics.callOptions(clinicId)));
  if (!found) return undefined;
  const { status, startsAt, changedAt, revision, patientId } = found;
  const instant = (at: typeof startsAt) => (at ? timestampDate(at) : app.clock.now());
  return { id, patientId, status, revision, startsAt: instant(startsAt), changedAt: instant(changedAt) };
}

export type Appointment = NonNullable<Awaited<ReturnType<typeof findAppointment>>>;

/** Returns the appointment as it is now. */
export async function planReminders(app: App, tx: Tx, clinicId: string, appointmentId: string) {
  const appointment = await findAppointment(app, clinicId, appointmentId);
  if (!appointment) return undefined;
  const { status, revision, startsAt, changedAt } = appointment;
  const { timezone } = await app.clinics.get(clinicId);
  const now = app.clock.now();
  const planned = await lockReminders(tx, clinicId, appointmentId);
  const quiet = await findReminderSettings(tx, clinicId);
  for (const kind of REMINDER_KINDS) {
    const before = planned.find((one) => one.kind === kind);
    if (before && (before.revision >= revision || isUpToDate(before, appointment))) continue;
    const due = isActive(status) ? dueAt(kind, startsAt, changedAt, timezone, quiet) : undefined;
    if (before?.state === 'queued') await cancelOutbound(tx, clinicId, toReference(before), now);
    const plan = { clinic_id: clinicId, appointment_id: appointmentId, kind, revision, starts_at: startsAt };
    const reason = isActive(status) ? 'too_soon' : 'visit_over'; // plain-words: visit is in a stored code
    await upsertReminder(tx, { ...plan, ...(due ? { due_at: due, state: 'planned', reason: null } : { due_at: null, state: 'none', reason }) }, now);
  }
  return appointment;
}

/** A change that leaves the start unchanged leaves the reminder unchanged, sent or not. */
const isUpToDate = (before: ReminderRow, { status, startsAt }: { status: string; startsAt: Date }) =>
  before.state !== 'none' && isActive(status) && before.starts_at.getTime() === startsAt.getTime();
