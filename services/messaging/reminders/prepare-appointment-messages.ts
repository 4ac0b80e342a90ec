// Composes reminders and notices of appointments from the current state when they are sent.
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { inTenant } from '@clinic/lib/db/db.ts';
import { dateIn } from '@clinic/lib/formats/local-date.ts';
import { otherName } from '@clinic/lib/formats/note-of-other.ts';
import type { App } from '../app.ts';
import { appointmentLine } from '../bot/rules/appointment-line.ts';
import { encodeButtonId } from '../bot/rules/button-ids.ts';
import type { Clinic } from '../clinics/clinics.ts';
import type { DropReasonOf } from '../outbound/message-kinds-rules.ts';
import type { Prepare } from '../outbound/prepare.ts';
import type { Reference } from '../outbound/reference-rules.ts';
import { type Addressee, composeMessage, type MessageParts, type Recipient, toAddressee } from './compose-message.ts';
import { decideReminder } from './decide-reminder.ts';
import { type Appointment, findAppointment } from './find-appointment.ts';
import { isActive } from './plan-reminders.ts';
import { isSuperseded, listReminders } from './reminders.sql.ts';

type Dropped = { drop: DropReasonOf<'appointment_notice'> };

/** The appointment, the patient to notify, and the line that describes the appointment; undefined if there is no such appointment. */
async function findDetails(app: App, clinic: Clinic, id: string) {
  const appointment = await findAppointment(app, clinic.id, id);
  if (!appointment) return undefined;
  const to = await toAddressee(app, clinic, appointment);
  return { appointment, to, cita: lineOf(appointment, to) };
}

type Described = Pick<Appointment, 'doctorName' | 'appointmentDate' | 'startTime'> & { notes?: string | undefined };

export const lineOf = ({ doctorName, appointmentDate: date, startTime: time, notes }: Described, { language }: Pick<Recipient, 'language'>) =>
  appointmentLine({ doctorName, date, time, person: otherName(notes) }, language);

const BUTTON_TEXTS = { confirm: 'confirm_appointment', move: 'move_appointment', drop: 'cancel_appointment' } as const;

const button = (to: Recipient, action: keyof typeof BUTTON_TEXTS, appointmentId: string) => ({
  id: encodeButtonId({ kind: 'appointment', action, appointmentId }),
  title: to.say(BUTTON_TEXTS[action]),
});

export const prepareReminder: Prepare<'appointment_reminder'> = async (app, clinic, { appointmentId: id, reminder: kind, revision }) => {
  const found = await findDetails(app, clinic, id);
  if (!found?.to.phone) return { drop: 'no_phone' };
  const { appointment, to, cita } = found;
  const decision = await inTenant(app.db, clinic.id, async (tx) => {
    const planned = (await listReminders(tx, id)).find((one) => one.kind === kind && String(one.revision) === revision);
    return planned ? decideReminder(tx, clinic, appointment, planned, app.clock.now()) : ({ drop: 'visit_moved' } as const); // plain-words: visit is in a stored code
  });
  if (decision !== 'send') return decision;
  const text = to.say(kind === 'day' ? 'reminder_day' : 'reminder_hours', { nombre: to.name, cita });
  const buttons = [button(to, 'confirm', id), button(to, 'drop', id)];
  return composeMessage(to, { template: 'appointment_reminder', text, buttons, variables: [cita] });
};

/** booked, confirmed and declined are about online bookings. Changes of a series are about several of its appointments. */
export type Change = keyof typeof BUTTONS | SeriesChange;
type SeriesChange = 'cancelled_series' | 'moved_series';

const BUTTONS = {
  cancelled: [],
  declined: [],
  moved: ['confirm', 'move', 'drop'],
  restored: ['confirm', 'move', 'drop'],
  booked: ['move', 'drop'],
  confirmed: ['move', 'drop'],
} as const satisfies Record<string, (keyof typeof BUTTON_TEXTS)[]>;

/** `isOn`: whether the appointment takes place, so that the patient may want to change it. */
export type WrittenNotice = MessageParts & { to: Addressee; isOn: boolean };

export async function writeNotice(app: App, clinic: Clinic, notice: Reference<'appointment_notice'>): Promise<WrittenNotice | Dropped> {
  const { appointmentId: id } = notice;
  const change = notice.change as Change;
  const [found, superseded] = await Promise.all([findDetails(app, clinic, id), isSuperseded(app.db, clinic.id, notice)]);
  if (!found) return { drop: 'changed_again' };
  if (superseded) return { drop: 'superseded' };
  const { appointment, cita } = found;
  const to = { ...found.to, email: found.to.email ?? appointment.bookingEmail };
  if (change === 'cancelled_series' || change === 'moved_series') return writeSeriesNotice(app, clinic, change, appointment.seriesId ?? '', to);
  const isOn = BUTTONS[change].length > 0;
  if (isActive(appointment.status) !== isOn) return { drop: 'changed_again' };
  if (appointment.startsAt <= app.clock.now()) return { drop: 'too_late' };
  const buttons = isOn ? BUTTONS[change].map((action) => button(to, action, id)) : [{ id: encodeButtonId({ kind: 'do_book' }), title: to.say('do_book') }];
  return { to, isOn, template: `appointment_${change}`, text: to.say(`notice_${change}`, { nombre: to.name, cita }), buttons, variables: [cita] };
}

const MOST_LINES = 8;

/** Lists the upcoming appointments of the series that currently have the status resulting from the change. */
async function writeSeriesNotice(app: App, clinic: Clinic, change: SeriesChange, seriesId: string, to: Addressee): Promise<WrittenNotice | Dropped> {
  const now = app.clock.now();
  const isCancelled = change === 'cancelled_series';
  const filter = { seriesId, status: isCancelled ? 'cancelled' : 'confirmed', start: dateIn(clinic.timezone, now) };
  const { appointments } = await app.scheduling.appointments.listAppointments({ ...filter, page: 1, limit: 500 }, await app.clinics.callOptions(clinic.id));
  const lines = appointments
    .filter(({ startsAt }) => startsAt && timestampDate(startsAt) > now)
    .map((one) => lineOf({ ...one, doctorName: one.doctors?.fullName ?? '' }, to));
  const [first] = lines;
  if (!first) return { drop: 'changed_again' };
  const more = (shown: number) => (lines.length > shown ? [to.say('more_appointments', { n: String(lines.length - shown) })] : []);
  const citas = [...lines.slice(0, MOST_LINES), ...more(MOST_LINES)].join('\n');
  const text = to.say(isCancelled ? 'notice_series_cancelled' : 'notice_series_moved', { nombre: to.name, citas });
  const entry = isCancelled ? 'do_book' : 'do_mine';
  const buttons = [{ id: encodeButtonId({ kind: entry }), title: to.say(entry) }];
  const variables = [[first, ...more(1)].join(' ')]; // a template variable is a single line
  return { to, isOn: false, template: isCancelled ? 'appointment_cancelled' : 'appointment_moved', text, buttons, variables };
}
