// Notifies a patient of a change that the staff made to an appointment.
import type { Tx } from '@clinic/lib/db/db.ts';
import type { App } from '../app.ts';
import { sendLater } from '../outbound/send.ts';
import { hasChannel } from './reminders.sql.ts';

// Older changes come from a stream that is read from its beginning: their patients were notified when they happened.
const MAX_AGE_MS = 24 * 3_600_000;

/** Those of a series are about several of its appointments. */
export type Change = 'cancelled' | 'moved' | 'restored' | 'cancelled_series' | 'moved_series';

/** `soonest` is when the patient would first act on outdated information: the start of the appointment, old or new. */
export async function notifyAppointmentChange(
  app: App,
  tx: Tx,
  clinicId: string,
  appointment: { id: string; revision: number; changedAt: Date },
  change: Change,
  soonest: Date,
): Promise<void> {
  const now = app.clock.now();
  if (soonest <= now || now.getTime() - appointment.changedAt.getTime() > MAX_AGE_MS || !(await hasChannel(tx, clinicId))) return;
  if (!(await app.clinics.get(clinicId)).isActive) return;
  const reference = { kind: 'appointment_notice', appointmentId: appointment.id, revision: String(appointment.revision), change } as const;
  await sendLater(tx, clinicId, reference, { neededBy: soonest }, now);
}
