// Booking and moving a visit, step by step: doctor, day, time, name, confirmation. Rows and buttons say all that they mean, so
// that one of an older list still works; what is true now is asked anew each time.

import { addDays, clock, longDay, nextMonth, shortDay, todayIn } from '@clinic/lib/formats/local-days.ts';
import { plain } from '@clinic/lib/formats/words.ts';
import type { Row } from '../../outbound/outgoing-rules.ts';
import { buttonsOf, handOver, join, listOf, menu, ROWS, textOf, turn } from './replies.ts';
import { ask, type Context, type Slot, type Step, type Talk } from './session.ts';
import { visitLine } from './appointment-line.ts';

type Doctor = { id: string; name: string; specialty: string };
type Of<N extends Step['name']> = Extract<Step, { name: N }>;

const MONTHS_AHEAD = 4;
const TIMES_A_PAGE = 7;

export const line = (c: Context, slot: Slot) => visitLine(slot, c.session.language);

/** Begins with the doctor that the message names, or the only one there is. */
export function* begin(c: Context, aside?: string): Talk {
  const doctors = yield* ask('doctors', {});
  const [only] = doctors.length === 1 ? doctors : doctorsIn(doctors, c.said);
  if (doctors.length === 0) return handOver(c, c.say('no_doctors'));
  return only ? yield* showDays(c, only, { aside }) : showDoctors(c, doctors, 0, aside);
}

/** The doctors of whom the message says a word of the name that no other one has. */
function doctorsIn(doctors: Doctor[], said: string): Doctor[] {
  const words = (name: string) =>
    plain(name)
      .trim()
      .split(' ')
      .filter((word) => word.length > 3);
  const named = doctors.filter(({ name }) => words(name).some((word) => said.includes(` ${word} `)));
  return named.length === 1 ? named : [];
}

export function showDoctors(c: Context, doctors: Doctor[], page: number, aside?: string) {
  const fits = doctors.length <= ROWS;
  const shown = fits ? doctors : doctors.slice(page * (ROWS - 1), (page + 1) * (ROWS - 1));
  const rows: Row[] = shown.map(({ id, name, specialty }) => ({ id: `doctor|${id}`, title: name, ...(specialty && { description: specialty }) }));
  const next = (page + 1) * (ROWS - 1) < doctors.length ? page + 1 : 0;
  if (!fits) rows.push({ id: `doctors|${next}`, title: c.say('more') });
  return turn(c, { name: 'doctor', page }, listOf(c, join(aside, c.say('which_doctor')), 'doctors_button', rows));
}

export function* doctorPage(c: Context, page: number): Talk {
  const doctors = yield* ask('doctors', {});
  return doctors.length === 0 ? handOver(c, c.say('no_doctors')) : showDoctors(c, doctors, Number.isInteger(page) && page >= 0 ? page : 0);
}

export function* chooseDoctor(c: Context, id: string, move?: string): Talk {
  const doctors = yield* ask('doctors', {});
  const doctor = doctors.find((one) => one.id === id);
  return doctor ? yield* showDays(c, doctor, { ...(move && { move }) }) : yield* begin(c, c.say('stale'));
}

/** By number in the list, or by name. */
export function* readDoctor(c: Context, { page }: Of<'doctor'>): Talk<ReturnType<typeof showDoctors> | undefined> {
  const doctors = yield* ask('doctors', {});
  const number = Number(/^ (\d{1,2}) $/.exec(c.said)?.[1] ?? 0);
  const shown = doctors.length <= ROWS ? doctors : doctors.slice(page * (ROWS - 1), (page + 1) * (ROWS - 1));
  const [doctor] = number > 0 ? shown.slice(number - 1, number) : doctorsIn(doctors, c.said);
  return doctor && (yield* showDays(c, doctor, {}));
}

type Ways = { from?: string; move?: string; aside?: string | undefined };

/** The next days with free times, from `from` on. */
export function* showDays(c: Context, { id, name }: { id: string; name: string }, { from, move, aside }: Ways): Talk {
  const today = todayIn(c.facts.zone, c.facts.now);
  const first = from && from > today ? from : today;
  const days = yield* freeDays(id, first);
  if (days.length === 0 && first > today) return yield* showDays(c, { id, name }, { ...(move && { move }), aside });
  if (days.length === 0) {
    const text = join(aside, c.say('no_days', { doctor: name }));
    return turn(c, { name: 'idle' }, buttonsOf(c, text, ['do_book', 'do_book'], ['do_person', 'do_person'], ['do_menu', 'do_menu']));
  }
  const shown = days.slice(0, ROWS - 1);
  const rows: Row[] = shown.map(({ date, free }) => ({
    id: ['day', id, date, move].filter(Boolean).join('|'),
    title: shortDay(date, c.session.language),
    description: free === 1 ? c.say('free_one') : c.say('free_many', { n: String(free) }),
  }));
  const last = shown.at(-1)?.date ?? first;
  rows.push({ id: ['days', id, days.length > shown.length ? addDays(last, 1) : today, move].filter(Boolean).join('|'), title: c.say('more') });
  const step: Step = { name: 'day', doctorId: id, doctorName: name, from: first, ...(move && { move }) };
  return turn(c, step, listOf(c, join(aside, c.say('which_day', { doctor: name })), 'days_button', rows));
}

function* freeDays(doctorId: string, from: string): Talk<{ date: string; free: number }[]> {
  const days: { date: string; free: number }[] = [];
  let month = from.slice(0, 7);
  for (let i = 0; i < MONTHS_AHEAD && days.length < ROWS; i++, month = nextMonth(month)) {
    const inMonth = yield* ask('days', { doctorId, month });
    days.push(...inMonth.filter(({ date, free }) => free > 0 && date >= from));
  }
  return days;
}

/** The free times of a day, page by page. */
export function* showTimes(c: Context, doctor: { id: string; name: string }, date: string, { page = 0, move, aside }: Ways & { page?: number }): Talk {
  const today = todayIn(c.facts.zone, c.facts.now);
  const times = date < today ? [] : yield* ask('times', { doctorId: doctor.id, date });
  if (times.length === 0) return yield* showDays(c, doctor, { from: date, ...(move && { move }), aside: aside ?? c.say('day_full') });
  const begin = page * TIMES_A_PAGE < times.length ? page * TIMES_A_PAGE : 0;
  const shown = times.slice(begin, begin + TIMES_A_PAGE);
  const id = (...parts: (string | undefined)[]) => parts.filter((part) => part !== undefined && part !== '').join('|');
  const rows: Row[] = shown.map((time) => ({ id: id('time', doctor.id, date, time, move), title: clock(time, c.session.language) }));
  const more = begin + TIMES_A_PAGE < times.length ? page + 1 : 0;
  if (times.length > TIMES_A_PAGE) rows.push({ id: id('times', doctor.id, date, String(more), move), title: c.say('more_times') });
  rows.push({ id: id('days', doctor.id, today, move), title: c.say('other_day') });
  const step: Step = { name: 'time', doctorId: doctor.id, doctorName: doctor.name, date, page, ...(move && { move }) };
  const question = c.say('which_time', { doctor: doctor.name, dia: longDay(date, c.session.language) });
  return turn(c, step, listOf(c, join(aside, question), 'times_button', rows));
}

/** Holds the slot, or tells that somebody was faster and shows what is left. */
export function* chooseTime(c: Context, slot: Slot): Talk {
  const { step } = c.session;
  const held = 'draftId' in step ? step : undefined;
  const same = held && held.slot.doctorId === slot.doctorId && held.slot.date === slot.date && held.slot.time === slot.time;
  if (held && same) return askName(c, held.slot, held.draftId);
  if (held) yield* ask('drop', { draftId: held.draftId });
  const { doctorId, date, time } = slot;
  const hold = yield* ask('hold', { doctorId, date, time });
  if (!hold.ok) return yield* showTimes(c, { id: doctorId, name: slot.doctorName }, date, { aside: c.say('slot_taken') });
  return askName(c, slot, hold.draftId);
}

/** The name, unless it is known whose phone this is. */
export function askName(c: Context, slot: Slot, draftId: string, aside?: string) {
  const { patientName, profileName } = c.facts;
  if (patientName) return askToBook(c, { slot, draftId, patientName });
  const question = join(aside, c.say('which_name', { cita: line(c, slot) }));
  const step: Step = { name: 'name', slot, draftId, nonce: draftId };
  const known = profileName && profileName.length <= 20 ? profileName : undefined;
  if (!known) return turn(c, step, textOf(question));
  return turn(c, step, { type: 'buttons', text: question, buttons: [{ id: `name|${draftId}`, title: known }] });
}

type Wanted = { slot: Slot; draftId: string; patientName: string; notes?: string; aside?: string | undefined };

export function askToBook(c: Context, { slot, draftId, patientName, notes, aside }: Wanted) {
  const nonce = draftId;
  const step: Step = { name: 'confirm', slot, draftId, nonce, patientName, ...(notes !== undefined && { notes }) };
  const text = join(aside, c.say('confirm_booking', { cita: line(c, slot), nombre: notes ?? patientName }));
  return turn(c, step, buttonsOf(c, text, [`yes|${nonce}`, 'yes_book'], [`other|${nonce}`, 'other_name'], [`no|${nonce}`, 'no_thanks']));
}

/** The name that was given. A phone that is somebody's keeps its name: the other one is noted with the visit. */
export function named(c: Context, { slot, draftId }: Of<'name'> | Of<'confirm'>, name: string) {
  const { patientName } = c.facts;
  return patientName && plain(patientName) !== plain(name)
    ? askToBook(c, { slot, draftId, patientName, notes: name })
    : askToBook(c, { slot, draftId, patientName: patientName ?? name });
}

export function* book(c: Context, { slot, draftId, patientName, notes, nonce }: Of<'confirm'>): Talk {
  const { doctorId, doctorName, date, time } = slot;
  const wanted = { doctorId, date, time, patientName, ...(notes !== undefined && { notes }) };
  let booked = yield* ask('book', { ...wanted, draftId });
  // A draft that is over holds nothing any more, but the slot may still be free.
  if (!booked.ok && booked.reason === 'NOT_FOUND') booked = yield* ask('book', wanted);
  if (booked.ok) {
    const reply = buttonsOf(c, c.say('booked', { cita: line(c, slot) }), ['do_mine', 'do_mine'], ['do_menu', 'do_menu']);
    return turn(c, { name: 'idle', done: nonce }, reply);
  }
  if (booked.reason === 'NOT_FOUND') return yield* begin(c, c.say('stale'));
  if (booked.reason === 'SLOT_TAKEN' || booked.reason === 'SLOT_UNAVAILABLE')
    return yield* showTimes(c, { id: doctorId, name: doctorName }, date, { aside: c.say('slot_taken') });
  return handOver(c, c.say('no_doctors'));
}

/** Lets go of a slot that is held. */
export function* letGo(c: Context): Talk<void> {
  const { step } = c.session;
  if ('draftId' in step) yield* ask('drop', { draftId: step.draftId });
}

export function* stop(c: Context): Talk {
  yield* letGo(c);
  return menu(c, c.say('stopped'));
}
