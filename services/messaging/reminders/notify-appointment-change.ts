// Notifies a patient of a change that the staff made to an appointment, and of an online booking: by chat, or by mail where the clinic has no chat.
import type { Tx } from '@clinic/lib/db/db.ts';
import { enqueue } from '@clinic/lib/jobs/jobs.ts';
import type { App } from '../app.ts';
import { encodeReference } from '../outbound/reference-rules.ts';
import { sendLater } from '../outbound/send.ts';
import type { Planned } from './plan-reminders.ts';
import type { Change } from './prepare-appointment-messages.ts';
import { hasChannel } from './reminders.sql.ts';
import { MAIL_NOTICE, type NoticeToMail } from './send-notice.ts';

// Older changes come from a stream that is read from its beginning: their patients were notified when they happened.
const MAX_AGE_MS = 24 * 3_600_000;

/** `soonest` is when the patient would first act on outdated information: the start of the appointment, old or new. */
export async function notifyAppointmentChange(app: App, tx: Tx, appointment: Planned, change: Change, soonest: Date): Promise<void> {
  const { clinicId, id: appointmentId, revision, changedAt } = appointment;
  const now = app.clock.now();
  if (soonest <= now || now.getTime() - changedAt.getTime() > MAX_AGE_MS) return;
  if (!(await app.clinics.get(clinicId)).isActive) return;
  const reference = { kind: 'appointment_notice', appointmentId, revision: String(revision), change } as const;
  if (await hasChannel(tx, clinicId)) return sendLater(tx, clinicId, reference, { neededBy: soonest }, now);
  const toMail: NoticeToMail = { clinicId, reference: encodeReference(reference) };
  await enqueue(tx, MAIL_NOTICE, toMail);
}
