// What happens to a visit at the desk is told to the patient, in the morning when it happens at night.
import type { Tx } from '@clinic/lib/db/db.ts';
import type { App } from '../app.ts';
import { sendLater } from '../outbound/send.ts';
import { endOfQuietHours } from './due-time-rules.ts';
import { findReminderSettings } from './reminder-settings.sql.ts';
import { hasChannel } from './reminders.sql.ts';

// A stream that is read from its beginning tells again what everybody knows.
const MAX_AGE_MS = 24 * 3_600_000;

export type Change = 'cancelled' | 'moved' | 'restored';

/** `soonest` is the first instant at which the patient may act on what is not true any more. */
export async function notifyAppointmentChange(
  app: App,
  tx: Tx,
  clinicId: string,
  visit: { id: string; revision: number; changedAt: Date },
  change: Change,
  soonest: Date,
): Promise<void> {
  const { timezone, isActive } = await app.clinics.get(clinicId);
  const now = app.clock.now();
  if (!isActive || soonest <= now || now.getTime() - visit.changedAt.getTime() > MAX_AGE_MS || !(await hasChannel(tx, clinicId))) return;
  const { quiet_from: from, quiet_until: until } = await findReminderSettings(tx, clinicId);
  const notBefore = endOfQuietHours(now, soonest, timezone, { from, until });
  await sendLater(tx, clinicId, { kind: 'appointment_notice', appointmentId: visit.id, revision: String(visit.revision), change }, { notBefore }, now);
}
