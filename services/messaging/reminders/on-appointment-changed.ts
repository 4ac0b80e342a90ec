// When an appointment is booked, rescheduled or changes its status: plans its reminders, and notifies the patient of an online booking or of a
// change by the staff.
import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { SystemTx, Tx } from '@clinic/lib/db/db.ts';
import { type Consumer, type Delivered, type Envelope, subscribe, subscribeAll } from '@clinic/lib/events/events.ts';
import { enqueue } from '@clinic/lib/jobs/jobs.ts';
import {
  type AppointmentBooked,
  AppointmentBookedSchema,
  type AppointmentRescheduled,
  AppointmentRescheduledSchema,
  type AppointmentState,
  type AppointmentStatusChanged,
  AppointmentStatusChangedSchema,
  AppointmentsUpdatedSchema,
} from '@clinic/proto/events/v1/scheduling_pb.js';
import type { App } from '../app.ts';
import { hasChannel } from '../channel/channels.sql.ts';
import { encodeReference } from '../outbound/reference-rules.ts';
import { sendLater } from '../outbound/send.ts';
import { isActive, type Planned, planReminders, toPlanned } from './plan-reminders.ts';
import type { Change } from './prepare-appointment-messages.ts';
import { MAIL_NOTICE, type NoticeToMail } from './send-notice.ts';

type Changed = { appointment?: AppointmentState | undefined };

const plannedOf = (events: Delivered<Changed>[]) => events.flatMap((one) => toPlanned(one) ?? []);

/** The handler and its options. Planning by revision may be repeated; a notice may not. */
function planAndNotify<E extends Changed>(app: App, noticeOf: (event: E) => Change | undefined) {
  const read = (events: Delivered<E>[]) => readActive(app, plannedOf(events.filter(({ event }) => noticeOf(event))));
  const handle = async (tx: SystemTx, events: Delivered<E>[], active: Set<string>) => {
    await planReminders(tx, plannedOf(events), app.clock.now());
    const notify = async (one: Delivered<E>) => {
      const [appointment, notice] = [toPlanned(one), noticeOf(one.event)];
      if (appointment && notice && active.has(appointment.clinicId)) await notifyAppointmentChange(app, tx, appointment, notice, appointment.startsAt);
    };
    await Promise.all(events.map(notify));
  };
  return [handle, { read, isRepeatable: ({ event }: Delivered<E>) => noticeOf(event) === undefined }] as const;
}

// Older changes are read from the beginning of a stream. Their patients were notified at the time.
const MAX_AGE_MS = 24 * 3_600_000;

/** The ids of the active clinics among those of recent changes. */
async function readActive(app: App, changed: Planned[]): Promise<Set<string>> {
  const recent = changed.filter(({ changedAt }) => app.clock.now().getTime() - changedAt.getTime() <= MAX_AGE_MS);
  const clinics = await Promise.all([...new Set(recent.map(({ clinicId }) => clinicId))].map((id) => app.clinics.get(id)));
  return new Set(clinics.filter(({ isActive }) => isActive).map(({ id }) => id));
}

export const onAppointmentChanged = (app: App): Consumer[] => [
  subscribeAll('reminders-booked', 'scheduling', AppointmentBookedSchema, ...planAndNotify(app, noticeOfBooking)),
  subscribe(
    'reminders-rescheduled',
    'scheduling',
    AppointmentRescheduledSchema,
    async (tx, event, envelope, active) => {
      const appointment = toPlanned({ event, envelope });
      if (!appointment) return;
      const now = app.clock.now();
      await planReminders(tx, [appointment], now);
      if (!isNotified(event) || !active.has(envelope.clinicId)) return;
      const starts = [appointment.startsAt, ...(event.previousStartsAt ? [timestampDate(event.previousStartsAt)] : [])].filter((at) => at > now);
      const [soonest] = starts.sort((a, b) => a.getTime() - b.getTime());
      if (soonest) await notifyAppointmentChange(app, tx, appointment, event.seriesPosition === 0 ? 'moved' : 'moved_series', soonest);
    },
    { read: (event: AppointmentRescheduled, envelope: Envelope) => readActive(app, isNotified(event) ? plannedOf([{ event, envelope }]) : []) },
  ),
  subscribeAll('reminders-updated', 'scheduling', AppointmentsUpdatedSchema, (tx, events) => {
    const each = events.flatMap(({ event, envelope }) => event.appointments.map((appointment) => ({ event: { appointment }, envelope })));
    return planReminders(tx, plannedOf(each), app.clock.now());
  }),
  subscribeAll('reminders-status', 'scheduling', AppointmentStatusChangedSchema, ...planAndNotify(app, noticeOfStatus)),
];

/** The patient made a change by chat. Of a series, only the first appointment is announced. */
const isNotified = ({ byChat, seriesPosition }: { byChat: boolean; seriesPosition: number }) => !byChat && seriesPosition <= 1;

const noticeOfBooking = ({ appointment }: AppointmentBooked): Change | undefined =>
  appointment?.status === 'confirmed' && appointment.source === 'online' ? 'booked' : undefined;

function noticeOfStatus(event: AppointmentStatusChanged): Change | undefined {
  const { appointment, previousStatus, seriesPosition } = event;
  return appointment && isNotified(event) ? changeOf(previousStatus, appointment.status, seriesPosition > 0) : undefined;
}

/** The notice of a change of the status. */
function changeOf(before: string, after: string, isSeries: boolean): Change | undefined {
  if (after === 'cancelled' && isActive(before)) return isSeries ? 'cancelled_series' : before === 'pending' ? 'declined' : 'cancelled';
  if (after === 'confirmed' && before === 'pending') return 'confirmed';
  return isActive(after) && before === 'cancelled' ? 'restored' : undefined;
}

/** Notifies by chat, or by mail if the clinic has no chat. `soonest`: when the patient would first act on outdated information, at the old or the new start. */
async function notifyAppointmentChange(app: App, tx: Tx, appointment: Planned, change: Change, soonest: Date): Promise<void> {
  const { clinicId, id: appointmentId, revision } = appointment;
  const now = app.clock.now();
  if (soonest <= now) return;
  const reference = { kind: 'appointment_notice', appointmentId, revision: String(revision), change } as const;
  if (await hasChannel(tx, clinicId)) return sendLater(tx, clinicId, reference, { neededBy: soonest }, now);
  const toMail: NoticeToMail = { clinicId, reference: encodeReference(reference) };
  await enqueue(tx, MAIL_NOTICE, toMail);
}
