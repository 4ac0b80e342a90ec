// Shows, confirms, moves and cancels upcoming appointments: only those of the sender's phone, whatever appointment a button names.
import { formatClockTime, formatShortDay } from '@clinic/lib/formats/day-text.ts';
import { containsAny, foldPhrase, splitPhrases } from '@clinic/lib/formats/phrases.ts';
import type { AppointmentAction } from './button-ids.ts';
import { lineOf } from './choose-person.ts';
import { askDay, askTime, doctorOf, goneText, isGone, listTimes } from './choose-time.ts';
import { strongIntent } from './intents.ts';
import { withoutNamelikeDates } from './parse-person-name.ts';
import { findByName, findByPlace } from './pick-from-list.ts';
import { asDone, askAt, buttonsReply, finish, handOver, listReply, stop, textReply, withPreface } from './replies.ts';
import { type Appointment, type Context, request, type Slot, type StepOf, type Turn } from './session.ts';
import { parseWish, withWish } from './wish.ts';

const finishWithBooking = (c: Context, text: string) => finish(c, buttonsReply(c, text, 'do_book', 'do_menu'));

/** The reply to a change that scheduling refused. Within the notice period of the cancellation policy, a person decides. */
const refused = (c: Context, { reason }: { reason: string }, appointment: Appointment) =>
  reason === 'INSIDE_CANCELLATION_NOTICE'
    ? handOver(c, 'inside_notice', c.say('inside_notice', { cita: lineOf(c, appointment) }))
    : finishWithBooking(c, c.say('appointment_gone'));

/** Asks for which appointment, unless there is only one, or the message names it. In a request to move one, the day may be the new one. */
export function* chooseAppointment(c: Context, action: AppointmentAction): Turn {
  const all = yield* request('appointments', {});
  const [first] = all;
  if (!first) return finish(c, buttonsReply(c, withPreface(c.preface, c.say('no_appointments')), 'do_book', 'do_person', 'do_menu'));
  const only = all.length === 1 ? first : action === 'move' ? findOfPatient(withoutSignature(c), all) : findNamed(c, all);
  if (only) return yield* act(c, action, only);
  const rows = all.map(({ id, date, time, doctorName, patientName }) => ({
    action: { kind: 'appointment' as const, action, appointmentId: id },
    title: `${formatShortDay(date, c.session.language)}, ${formatClockTime(time, c.session.language)}`,
    description: `${doctorName} · ${patientName}`,
  }));
  return askAt(c, { name: 'appointment', action }, listReply(c, c.say('which_appointment'), 'appointments_button', rows));
}

export function* actOn(c: Context, action: AppointmentAction, id: string): Turn {
  const appointment = (yield* request('appointments', {})).find((one) => one.id === id);
  return appointment ? yield* act(c, action, appointment) : finishWithBooking(c, c.say('appointment_gone'));
}

/** By number in the list, by day and time, or by name; undefined when the message names no appointment. «Cancelar la de Ana» also says what to do. */
export function* answerAppointment(c: Context, { action }: StepOf<'appointment'>) {
  const all = yield* request('appointments', {});
  const appointment = findByPlace(all, c.words) ?? findNamed(c, all);
  const wanted = strongIntent(c.words);
  return appointment && (yield* act(c, action === 'show' && (wanted === 'cancel' || wanted === 'move') ? wanted : action, appointment));
}

/** The only appointment on the day, at the time, for the patient or with the doctor that the message names. */
export function findNamed(c: Context, all: Appointment[]): Appointment | undefined {
  const { day, times } = parseWish(c) ?? {};
  const at = all.filter(({ date, time }) => (day?.kind !== 'date' || day.date === date) && (!times || times.includes(time)));
  if (at.length === 1) return at[0];
  return (
    findOfPatient(c, at) ??
    findByName(
      at.map((one) => ({ ...one, name: one.doctorName })),
      c.words,
    )
  );
}

/** The only appointment for the patient whom the message names. */
export const findOfPatient = (c: Context, all: Appointment[]): Appointment | undefined =>
  findByName(
    all.map((one) => ({ ...one, name: one.patientName })),
    withoutNamelikeDates(c.words),
  );

/** Without the name of the patient who writes, unless the message says that the appointment is that patient's: «la cita de Rosa». */
export function withoutSignature(c: Context): Context {
  const own = foldPhrase(c.facts.patientName ?? '')
    .split(' ')
    .filter((part) => part.length > 2);
  if (own.length === 0) return c;
  const signature = new RegExp(`(?<! (?:citas?|la|asistencia|appointment) (?:de|para|for))(?: (?:${own.join('|')}))+(?= )`, 'g');
  return { ...c, words: c.words.replaceAll(signature, '') };
}

function* act(c: Context, action: AppointmentAction, appointment: Appointment): Turn {
  const cita = lineOf(c, appointment);
  const appointmentId = appointment.id;
  switch (action) {
    case 'show':
      return finish(
        c,
        buttonsReply(
          c,
          c.say('one_appointment', { cita }),
          [{ kind: 'appointment', action: 'confirm', appointmentId }, 'confirm_appointment'],
          [{ kind: 'appointment', action: 'move', appointmentId }, 'move_appointment'],
          [{ kind: 'appointment', action: 'cancel', appointmentId }, 'cancel_appointment'],
        ),
      );
    case 'confirm': {
      // Only the clinic can confirm a requested appointment.
      if (appointment.status === 'pending') return finish(c, textReply(c.say('request_pending', { cita })));
      const confirmed = yield* request('confirm', { appointmentId });
      return confirmed.ok ? asDone(c, finish(c, textReply(c.say('confirmed', { cita })))) : finishWithBooking(c, c.say('appointment_gone'));
    }
    case 'move':
      return yield* askDay(onDayOf(c, appointment), doctorOf(appointment), { move: appointmentId });
    case 'cancel':
      return askToCancel(c, appointment);
    case 'drop': {
      const cancelled = yield* request('status', { appointmentId, status: 'cancelled' });
      return cancelled.ok ? asDone(c, finishWithBooking(c, c.say('cancelled', { cita }))) : refused(c, cancelled, appointment);
    }
  }
}

const OF_ANOTHER_DAY = splitPhrases(
  'otro dia|otra fecha|otra semana|no puedo ese dia|ese dia no|no puedo esa fecha|esa fecha no|another day|other day|not that day',
);

/** A new time without a day is meant for the day of the appointment. */
function onDayOf(c: Context, { date, time }: Appointment): Context {
  const { day, times, from, to, isLast } = c.session.wish ?? {};
  const isNew = times ? !times.includes(time) : from || to || isLast;
  return day || !isNew || containsAny(c.words, OF_ANOTHER_DAY) ? c : withWish(c, { ...c.session.wish, day: { kind: 'date', date } });
}

export function askToCancel(c: Context, appointment: Appointment) {
  const appointmentId = appointment.id;
  const reply = buttonsReply(
    c,
    c.say('sure_to_cancel', { cita: lineOf(c, appointment) }),
    [{ kind: 'appointment', action: 'drop', appointmentId }, 'yes_cancel'],
    [{ kind: 'appointment', action: 'move', appointmentId }, 'move_appointment'],
    'keep',
  );
  return askAt(c, { name: 'confirm_cancel', appointmentId }, reply);
}

const OTHER = splitPhrases('la otra|otra cita|esa no|no es esa|no esa|no la de|no la del|not that one|the other one|the other appointment');

/** Whether the answer to «¿Cancelo esta cita?» means another appointment: «no, la otra», «no, la del viernes». */
export const meansOther = (c: Context): boolean => containsAny(c.words, OTHER);

/** Asks whether to cancel the appointment that the message names, or the only other one; lists them if there are several. */
export function* cancelOther(c: Context, appointmentId: string): Turn {
  const others = (yield* request('appointments', {})).filter(({ id }) => id !== appointmentId);
  if (others.length === 0) return stop(c);
  const meant = others.length === 1 ? others[0] : findNamed(c, others);
  return meant ? askToCancel(c, meant) : yield* chooseAppointment(c, 'cancel');
}

export function* chooseTimeToMove(c: Context, slot: Slot, move: string): Turn {
  const appointment = (yield* request('appointments', {})).find(({ id }) => id === move);
  if (!appointment) return finishWithBooking(c, c.say('appointment_gone'));
  const free = yield* listTimes(slot.doctorId, slot.date, { move });
  if (free.includes(slot.time)) return askToMove(c, slot, appointment);
  return yield* askTime({ ...c, preface: c.say('slot_unavailable') }, doctorOf(slot), slot.date, { move });
}

export function askToMove(c: Context, slot: Slot, appointment: Appointment) {
  // Compared as a whole and never taken apart.
  const nonce = [appointment.id, slot.doctorId, slot.date, slot.time].join('/');
  const text = c.say('confirm_move', { antes: lineOf(c, appointment), cita: lineOf(c, { ...slot, patientName: appointment.patientName }) });
  const reply = buttonsReply(c, text, [{ kind: 'answer', answer: 'yes', nonce }, 'yes_move'], [{ kind: 'answer', answer: 'no', nonce }, 'keep']);
  return askAt(c, { name: 'confirm_move', slot, move: appointment.id, nonce }, reply);
}

export function* moveAppointment(c: Context, { slot, move, nonce }: StepOf<'confirm_move'>): Turn {
  const { doctorId, date, time } = slot;
  const appointment = (yield* request('appointments', {})).find(({ id }) => id === move);
  if (!appointment) return finishWithBooking(c, c.say('appointment_gone'));
  const moved = yield* request('move', { appointmentId: move, doctorId, date, time });
  const cita = lineOf(c, { ...slot, patientName: appointment.patientName });
  if (moved.ok) return asDone(c, askAt(c, { name: 'idle', done: nonce }, buttonsReply(c, c.say('moved', { cita }), 'do_mine', 'do_menu')));
  if (isGone(moved)) return yield* askTime({ ...c, preface: goneText(c, moved) }, doctorOf(slot), date, { move });
  return refused(c, moved, appointment);
}
