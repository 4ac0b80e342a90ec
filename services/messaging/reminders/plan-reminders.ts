// Plans the reminders of appointments from the states in events. The highest revision wins, so that the order and repetition of events do not
// matter.
import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { SystemTx } from '@clinic/lib/db/db.ts';
import { type Delivered, timeOf } from '@clinic/lib/events/events.ts';
import type { AppointmentState } from '@clinic/proto/events/v1/scheduling_pb.js';
import { supersedeMails } from '../mail/mails.sql.ts';
import { cancelOutbound } from '../outbound/outbound.sql.ts';
import { encodeReference } from '../outbound/reference-rules.ts';
import { findQuietHours } from '../outbound/reminder-settings.sql.ts';
import { dueAt, REMINDER_KINDS } from './due-time-rules.ts';
import { lockReminders, type ReminderPlan, type ReminderRow, setSeenRevisions, toReference, upsertReminders } from './reminders.sql.ts';

/** Only imported appointments have a status other than confirmed or pending at this revision. */
const FIRST_REVISION = 1;

export const isActive = (status: string) => status === 'confirmed' || status === 'pending';

/** An appointment as an event carries it, with its clinic. */
export type Planned = { clinicId: string; id: string; status: string; revision: number; startsAt: Date; changedAt: Date; timezone: string };

/** Undefined if the event has no start. */
export function toPlanned({ event, envelope }: Delivered<{ appointment?: AppointmentState | undefined }>): Planned | undefined {
  const { appointment } = event;
  if (!appointment?.startsAt) return undefined;
  const { appointmentId: id, status, revision, timezone, startsAt, changedAt } = appointment;
  const { clinicId } = envelope;
  return { clinicId, id, status, revision, startsAt: timestampDate(startsAt), changedAt: changedAt ? timestampDate(changedAt) : timeOf(envelope), timezone };
}

/** Plans the reminders of appointments. States older than those already planned change nothing. */
export async function planReminders(tx: SystemTx, appointments: Planned[], now: Date): Promise<void> {
  const newest = [...new Map(appointments.toSorted((a, b) => a.revision - b.revision).map((one) => [one.id, one])).values()];
  const clinicIds = newest.map(({ clinicId }) => clinicId);
  const [planned, quietHoursOf] = await Promise.all([lockReminders(tx, newest), findQuietHours(tx, clinicIds)]);
  const changes: ReminderPlan[] = [];
  const unchanged: ReminderRow[] = [];
  const mailed: ReminderRow[] = [];
  for (const appointment of newest) {
    const { clinicId, id, status, revision, startsAt, changedAt, timezone } = appointment;
    for (const kind of REMINDER_KINDS) {
      const before = planned.find((one) => one.appointment_id === id && one.clinic_id === clinicId && one.kind === kind);
      if (before && before.seen_revision >= revision) continue;
      if (before && isUpToDate(before, appointment)) {
        unchanged.push({ ...before, seen_revision: revision });
        continue;
      }
      if (!before && revision === FIRST_REVISION && !isActive(status)) continue; // an imported appointment never had a reminder
      const due = isActive(status) ? dueAt(kind, startsAt, changedAt, timezone, quietHoursOf(clinicId)) : undefined;
      if (before?.mailed_at) mailed.push(before);
      else if (before?.state === 'queued') await cancelOutbound(tx, clinicId, toReference(before), now);
      const plan = { clinic_id: clinicId, appointment_id: id, kind, revision, starts_at: startsAt };
      const reason = isActive(status) ? 'too_soon' : 'visit_over'; // plain-words: visit is in a stored code
      changes.push({ ...plan, ...(due ? { due_at: due, state: 'planned', reason: null } : { due_at: null, state: 'none', reason }) });
    }
  }
  const references = mailed.map((one) => encodeReference(toReference(one)));
  if (references.length > 0) await supersedeMails(tx, 'appointment_reminder', references, now);
  await setSeenRevisions(tx, unchanged);
  await upsertReminders(tx, changes, now);
}

/** If the start is unchanged, so is the reminder, whether sent or not. */
const isUpToDate = (before: ReminderRow, { status, startsAt }: { status: string; startsAt: Date }) =>
  before.state !== 'none' && isActive(status) && before.starts_at.getTime() === startsAt.getTime();
