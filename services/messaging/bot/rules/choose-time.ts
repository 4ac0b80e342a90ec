// The day and the time of a booking, or those to which an appointment is moved.
import { formatClockTime, formatLongDay, formatShortDay } from '@clinic/lib/formats/day-text.ts';
import { addDays, dateIn, nextMonth } from '@clinic/lib/formats/local-date.ts';
import { DateTime } from 'luxon';
import { type Purpose, WEEKS } from './button-ids.ts';
import { suits } from './parse-free-time.ts';
import { type ActionRow, askAt, buttonsReply, finish, listReply, MOST_ROWS, withPreface } from './replies.ts';
import { type Context, type Outcome, request, type Turn, type Wanted } from './session.ts';

export type Doctor = { id: string; name: string };

export const doctorOf = ({ doctorId, doctorName }: { doctorId: string; doctorName: string }): Doctor => ({ id: doctorId, name: doctorName });

const MONTHS_AHEAD = 4;
const TIMES_A_PAGE = 7;

/** Whether scheduling refused because the slot is taken or not offered. */
export const isGone = (outcome: Outcome) => !outcome.ok && (outcome.reason === 'SLOT_TAKEN' || outcome.reason === 'SLOT_UNAVAILABLE');

export const goneText = (c: Context, outcome: Outcome) => c.say(!outcome.ok && outcome.reason === 'SLOT_TAKEN' ? 'slot_taken' : 'slot_unavailable');

/** `from`: the first day to list. `full`: a day without free times, for which the waitlist is offered. `near`: list the times around this one. */
type Options = Purpose & { from?: string; page?: number; full?: string | undefined; near?: string | undefined };

/** A moved appointment keeps its type and its length. */
export function* needsOf({ move, typeId }: Purpose): Turn<Wanted> {
  if (move === undefined) return { typeId };
  const moved = (yield* request('appointments', {})).find(({ id }) => id === move);
  return { typeId: moved?.typeId, minutes: moved?.minutes, appointmentId: moved?.id };
}

/** The free times of a doctor's day. */
export function* listTimes(doctorId: string, date: string, purpose: Purpose): Turn<string[]> {
  return yield* request('times', { doctorId, date, ...(yield* needsOf(purpose)) });
}

/** Lists the next days with free times. Offers the waitlist for the day `full`, or if there are no free times, unless an appointment is moved. */
export function* askDay(c: Context, { id, name }: Doctor, { from, full, move, typeId }: Options): Turn {
  const today = dateIn(c.facts.zone, c.facts.now);
  const first = from && from > today ? from : today;
  const days = yield* listFreeDays(id, first, yield* needsOf({ move, typeId }));
  if (days.length === 0 && first > today) return yield* askDay(c, { id, name }, { full, move, typeId });
  if (days.length === 0) {
    const text = withPreface(c.preface, c.say('no_days', { doctor: name }));
    if (move) return finish(c, buttonsReply(c, text, 'do_book', 'do_person', 'do_menu'));
    return finish(c, buttonsReply(c, text, [{ kind: 'wait', doctorId: id, wait: WEEKS, typeId }, 'wait'], 'do_book', 'do_person'));
  }
  const waitRows: ActionRow[] =
    full === undefined || full < today || move
      ? []
      : [{ action: { kind: 'wait', doctorId: id, wait: full, typeId }, title: c.say('wait'), description: formatLongDay(full, c.session.language) }];
  const shown = days.slice(0, MOST_ROWS - 1 - waitRows.length);
  const rows: ActionRow[] = shown.map(({ date, free }) => ({
    action: { kind: 'day', doctorId: id, date, move, typeId },
    title: formatShortDay(date, c.session.language),
    description: free === 1 ? c.say('free_one') : c.say('free_many', { n: String(free) }),
  }));
  rows.push(...waitRows);
  const last = shown.at(-1)?.date ?? first;
  rows.push({ action: { kind: 'days', doctorId: id, date: days.length > shown.length ? addDays(last, 1) : today, move, typeId }, title: c.say('more') });
  const reply = listReply(c, c.say('which_day', { doctor: name }), 'days_button', rows);
  return askAt(c, { name: 'day', doctorId: id, doctorName: name, from: first, full, move, typeId }, reply);
}

export function* listFreeDays(doctorId: string, from: string, wanted: Wanted): Turn<{ date: string; free: number }[]> {
  const days: { date: string; free: number }[] = [];
  let month = from.slice(0, 7);
  for (let i = 0; i < MONTHS_AHEAD && days.length < MOST_ROWS; i++, month = nextMonth(month)) {
    const inMonth = yield* request('days', { doctorId, month, ...wanted });
    days.push(...inMonth.filter(({ date, free }) => free > 0 && date >= from));
  }
  return days;
}

/** Lists free times of a day, those within the limits of the wish if there are any; other days if the day has none. */
export function* askTime(c: Context, doctor: Doctor, date: string, { page = 0, near, move, typeId }: Options): Turn {
  const today = dateIn(c.facts.zone, c.facts.now);
  const free = date < today ? [] : yield* listTimes(doctor.id, date, { move, typeId });
  if (free.length === 0) {
    const hours = date < today ? [] : yield* request('workingHours', { doctorId: doctor.id, date });
    if (date >= today && hours.length === 0) return yield* askDayAfterDayOff(c, doctor, date, { move, typeId });
    const now = DateTime.fromJSDate(c.facts.now, { zone: c.facts.zone }).toFormat('HH:mm');
    const isOver = date === today && hours.every(({ to }) => to <= now);
    return yield* askDay({ preface: c.say('day_full'), ...c }, doctor, { from: date, full: isOver ? undefined : date, move, typeId });
  }
  const { shown, isSuitable } = timesToShow(c, free, page, near);
  const rows: ActionRow[] = shown.map((time) => ({
    action: { kind: 'time', doctorId: doctor.id, date, time, move, typeId },
    title: formatClockTime(time, c.session.language),
  }));
  const next = free.indexOf(shown.at(-1) ?? '') + 1;
  const nextPage = next < free.length ? Math.floor(next / TIMES_A_PAGE) : 0;
  if (shown.length < free.length) rows.push({ action: { kind: 'times', doctorId: doctor.id, date, page: nextPage, move, typeId }, title: c.say('more_times') });
  rows.push({ action: { kind: 'days', doctorId: doctor.id, date: today, move, typeId }, title: c.say('other_day') });
  const question = c.say('which_time', { doctor: doctor.name, dia: formatLongDay(date, c.session.language) });
  const asking = isSuitable ? c : { preface: yield* whyNoneSuits(c, doctor, date), ...c };
  const step = { name: 'time', doctorId: doctor.id, doctorName: doctor.name, date, page, move, typeId } as const;
  return askAt(asking, step, listReply(c, question, 'times_button', rows));
}

/** A page of the free times, of those within the limits of the wish if there are any (`isSuitable`). */
export function timesToShow(c: Context, free: string[], page: number, near?: string): { shown: string[]; isSuitable: boolean } {
  const suitable = free.filter((time) => suits(c.session.wish ?? {}, time));
  const isSuitable = suitable.length > 0;
  const times = isSuitable ? suitable : free;
  const around = near ?? (c.session.wish?.isLast ? '24:00' : undefined);
  const first = around === undefined ? page * TIMES_A_PAGE : firstAround(times, around);
  return { shown: times.slice(first < times.length ? first : 0).slice(0, TIMES_A_PAGE), isSuitable };
}

/** Why no free time of the day is within the limits of the wish: the doctor does not work then, or the times are taken. */
function* whyNoneSuits(c: Context, doctor: Doctor, date: string): Turn<string> {
  const { from = '00:00', to = '24:00' } = c.session.wish ?? {};
  const hours = yield* request('workingHours', { doctorId: doctor.id, date });
  return hours.some((range) => range.from < to && from < range.to) ? c.say('no_times_then') : c.say('no_hours_then', { doctor: doctor.name });
}

/** The index from which a page has the time in its middle, as far as possible. */
function firstAround(times: string[], near: string): number {
  const index = times.findIndex((time) => time >= near);
  const middle = (index < 0 ? times.length : index) - Math.floor(TIMES_A_PAGE / 2);
  return Math.max(0, Math.min(middle, times.length - TIMES_A_PAGE));
}

/** Says that the doctor does not work on the day, and lists later days. No slot of that day can become free, so the waitlist is not offered for it. */
export const askDayAfterDayOff = (c: Context, doctor: Doctor, date: string, purpose: Purpose): Turn =>
  askDay({ preface: c.say('day_off', { doctor: doctor.name }), ...c }, doctor, { from: date, ...purpose });
