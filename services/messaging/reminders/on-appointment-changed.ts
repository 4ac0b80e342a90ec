// When an appointment is booked, rescheduled or changes its status: plans its reminders, and notifies the patient of an online booking or of a
// change by the staff.
import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { SystemTx, Tx } from '@clinic/lib/db/db.ts';
import { type Consumer, type Delivered, subscribe, subscribeAll } from '@clinic/lib/events/events.ts';
import { enqueue } from '@clinic/lib/jobs/jobs.ts';
import {
  type AppointmentBooked,
  AppointmentBookedSchema,
  AppointmentRescheduledSchema,
  type AppointmentState,
  type AppointmentStatusChanged,
  AppointmentStatusChangedSchema,
  AppointmentsUpdatedSchema,
} from '@clinic/proto/events/v1/scheduling_pb.js';
import type { App } from '../app.ts';
import { listConnected } from '../channel/channels.sql.ts';
import { encodeReference } from '../outbound/reference-rules.ts';
import { sendLater } from '../outbound/send.ts';
import { isActive, type Planned, planReminders, toPlanned } from './plan-reminders.ts';
import type { Change } from './prepare-appointment-messages.ts';
import { MAIL_NOTICE, type NoticeToMail } from './send-notice.ts';

type Changed = { appointment?: AppointmentState | undefined };

const plannedOf = (events: Delivered<Changed>[]) => events.flatMap((one) => toPlanned(one) ?? []);

/** The handler and its options. Planning by revision may be repeated; a notice may not. */
function planAndNotify<E extends Changed>(app: App, noticeOf: (event: E) => Change | undefined) {
  const handle = async (tx: SystemTx, events: Delivered<E>[]) => {
    await planReminders(tx, plannedOf(events), app.clock.now());
    const notices = events.flatMap((one): Notice[] => {
      const change = noticeOf(one.event);
      const appointment = change && toPlanned(one);
      return appointment ? [{ appointment, change, soonest: appointment.startsAt }] : [];
    });
    await notifyPatients(app, tx, notices);
  };
  return [handle, { isRepeatable: ({ event }: Delivered<E>) => noticeOf(event) === undefined }] as const;
}

export const onAppointmentChanged = (app: App): Consumer[] => [
  subscribeAll('reminders-booked', 'scheduling', AppointmentBookedSchema, ...planAndNotify(app, noticeOfBooking)),
  subscribe('reminders-rescheduled', 'scheduling', AppointmentRescheduledSchema, async (tx, event, envelope) => {
    const appointment = toPlanned({ event, envelope });
    if (!appointment) return;
    const now = app.clock.now();
    await planReminders(tx, [appointment], now);
    if (!isNotified(event)) return;
    const starts = [appointment.startsAt, ...(event.previousStartsAt ? [timestampDate(event.previousStartsAt)] : [])].filter((at) => at > now);
    const [soonest] = starts.sort((a, b) => a.getTime() - b.getTime());
    if (soonest) await notifyPatients(app, tx, [{ appointment, change: event.seriesPosition === 0 ? 'moved' : 'moved_series', soonest }]);
  }),
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

// Older changes are read from the beginning of a stream. Their patients were notified at the time.
const MAX_AGE_MS = 24 * 3_600_000;

/** `soonest`: when the patient would first act on outdated information, at the old or the new start. */
type Notice = { appointment: Planned; change: Change; soonest: Date };

/** Notifies by chat, or by mail if the clinic has no chat. */
async function notifyPatients(app: App, tx: Tx, notices: Notice[]): Promise<void> {
  const now = app.clock.now();
  const due = notices.filter(({ appointment, soonest }) => soonest > now && now.getTime() - appointment.changedAt.getTime() <= MAX_AGE_MS);
  if (due.length === 0) return;
  const withChat = await listConnected(tx, [...new Set(due.map(({ appointment }) => appointment.clinicId))]);
  const store = async ({ appointment: { clinicId, id: appointmentId, revision }, change, soonest: neededBy }: Notice) => {
    const reference = { kind: 'appointment_notice', appointmentId, revision: String(revision), change } as const;
    if (withChat.has(clinicId)) return sendLater(tx, clinicId, reference, { neededBy }, now);
    const toMail: NoticeToMail = { clinicId, reference: encodeReference(reference) };
    await enqueue(tx, MAIL_NOTICE, toMail);
  };
  await Promise.all(due.map(store));
}
