// Uses the day and the time that the patient asked for, once the questions that come first are answered, instead of asking for them.
import { formatClockTime, formatLongDay, parseDayWish } from '@clinic/lib/formats/day-text.ts';
import { addDays, dateIn } from '@clinic/lib/formats/local-date.ts';
import { containsAny, splitPhrases } from '@clinic/lib/formats/phrases.ts';
import { DateTime } from 'luxon';
import { chooseTimeToMove } from './appointments.ts';
import { holdSlot, releaseSlot } from './booking.ts';
import type { Purpose } from './button-ids.ts';
import { askToBook } from './choose-person.ts';
import { askDay, askTime, type Doctor, doctorOf, listFreeDays, listTimes, needsOf, timesToShow } from './choose-time.ts';
import { likeliestTime, type TimeWish } from './parse-free-time.ts';
import { MOST_ROWS } from './replies.ts';
import { type Context, request, type StepOf, type Turn, type TurnResult, type Wish } from './session.ts';
import { dayProblem, isNumber, mergeWishes, parseWish, withWish } from './wish.ts';

/** Continues after a result that asks for the day or the time, if the patient has already named it. */
export function* followWish(c: Context, result: TurnResult): Turn {
  const { step, wish } = result.session;
  if (!wish || (step.name !== 'day' && step.name !== 'time')) return result;
  const { day, ...time } = wish;
  const next = withWish({ ...c, session: result.session }, time);
  const [doctor, purpose] = [doctorOf(step), { move: step.move, typeId: step.typeId }];
  if (step.name === 'time') return time.times || time.isAny ? yield* chooseTimeOf(next, doctor, step.date, purpose) : { ...result, session: next.session };
  switch (day?.kind) {
    case 'date': {
      const suits = day.or === undefined || (yield* listTimes(doctor.id, day.date, purpose)).length > 0;
      return yield* chooseTimeOf(next, doctor, suits ? day.date : (day.or ?? day.date), purpose);
    }
    case 'from':
      return yield* askDay(next, doctor, { from: day.date, ...purpose });
    case 'mismatch': {
      const preface = c.say('day_mismatch', { dia: formatLongDay(day.date, next.session.language) });
      return yield* askDay({ ...next, preface }, doctor, { from: addDays(day.date, -3), ...purpose });
    }
    case 'soonest': {
      const today = dateIn(c.facts.zone, c.facts.now);
      const [first] = yield* listFreeDays(doctor.id, today, yield* needsOf(purpose));
      return first ? yield* chooseTimeOf(time.isAny ? next : { ...next, preface: c.say('first_free') }, doctor, first.date, purpose) : result;
    }
    case 'past':
    case 'impossible':
      return yield* askDay({ ...next, preface: dayProblem(c, day) ?? '' }, doctor, purpose);
    default:
      return result;
  }
}

/**
 * Takes the time of the wish if it is free. Otherwise lists times of the day: those around it, or those within the limits of the wish. Any time means
 * the first one of the list, if it is within the limits or shown already. `isShown`: page `page` of the times is the current question.
 */
function* chooseTimeOf(before: Context, doctor: Doctor, date: string, purpose: Purpose, { isShown = false, page = 0 } = {}): Turn {
  const { times: named, isAny, ...limits } = before.session.wish ?? {};
  const c = withWish(before, limits);
  const free = date < dateIn(c.facts.zone, c.facts.now) ? [] : yield* listTimes(doctor.id, date, purpose);
  const { shown, isSuitable } = timesToShow(c, free, page);
  const times = isAny && (isSuitable || isShown) ? shown.slice(0, 1) : named;
  if (!times || free.length === 0) return yield* askTime(c, doctor, date, purpose);
  const time = times.find((one) => free.includes(one));
  if (time !== undefined) {
    const slot = { doctorId: doctor.id, doctorName: doctor.name, date, time };
    return purpose.move ? yield* chooseTimeToMove(c, slot, purpose.move) : yield* holdSlot(c, slot, purpose.typeId);
  }
  const hours = yield* request('workingHours', { doctorId: doctor.id, date });
  const inHours = times.find((one) => hours.some(({ from, to }) => one >= from && one < to));
  const near = inHours ?? likeliestTime(times) ?? '';
  const hora = formatClockTime(near, c.session.language);
  const isPast = `${date} ${near}` <= DateTime.fromJSDate(c.facts.now, { zone: c.facts.zone }).toFormat('yyyy-MM-dd HH:mm');
  const notFree = isShown ? c.say('slot_unavailable') : c.say('time_taken', { hora });
  const preface = inHours === undefined ? c.say('outside_hours', { doctor: doctor.name, hora }) : isPast ? c.say('time_past', { hora }) : notFree;
  return yield* askTime({ ...c, preface }, doctor, date, { near, ...purpose });
}

const LATER = [' mas tarde ', ' y mas tarde ', ' mejor mas tarde ', ' later '];
/** Whole answers to the question for the time that take any. */
const ANY_OF_TIMES = splitPhrases(
  'cualquiera|cualquiera por favor|cualquiera esta bien|la que sea|a la que sea|la que tenga|a la que tenga|la que tengan|la que haya|la que pueda|la que usted diga|me da igual|me da lo mismo|la primera|en la primera|a la primera|the first|the first one|any|any of them|whichever',
);

const NOT_THAT_TIME = splitPhrases('esa hora no|a esa hora|esa no|ninguna|other times');
const CHANGE_DAY = splitPhrases(
  'otro dia|otra fecha|cambiar el dia|cambiar de dia|cambiar la fecha|cambiar de fecha|another day|other day|change the day|change the date',
);
const CHANGE_TIME = splitPhrases('otra hora|otro horario|cambiar la hora|cambiar de hora|cambiar el horario|another time|change the time');

const isSet = (time: TimeWish) => Object.keys(time).length > 0;

/** The answer to the question for the day or the time; undefined when the message names neither. */
export function* answerDayOrTime(c: Context, step: StepOf<'day' | 'time'>): Turn<TurnResult | undefined> {
  const purpose = { move: step.move, typeId: step.typeId };
  if (isNumber(c.words) && step.name === 'day') return yield* chooseDayByNumber(c, step, purpose);
  const { day, refused, ...named } = step.name === 'time' && LATER.includes(c.words) ? { isLast: true as const } : (parseWish(c) ?? {});
  if (step.move && containsAny(c.words, SAME_DAY)) return yield* moveWithinDay(c, step, step.move);
  const time = step.move && containsAny(c.words, SAME_TIME) ? yield* timeOfMoved(step.move) : named;
  const hasTime = isSet(time);
  if (step.name === 'time' && !(day && namesOtherDay(c, day, step.date))) {
    if (time.times) return yield* chooseTimeOf(withWish(c, mergeWishes(c.session.wish, time)), doctorOf(step), step.date, purpose, { isShown: true });
    const { isAny, ...limits } = time;
    if (!isSet(limits) && (isAny || ANY_OF_TIMES.includes(c.words)))
      return yield* chooseTimeOf(withWish(c, { ...c.session.wish, isAny: true }), doctorOf(step), step.date, purpose, { isShown: true, page: step.page });
    if (isAny) return yield* chooseTimeOf(withWish(c, mergeWishes(c.session.wish, time)), doctorOf(step), step.date, purpose);
    if (hasTime) return yield* askTime(withWish(c, mergeWishes(c.session.wish, time)), doctorOf(step), step.date, purpose);
    if (!day && containsAny(c.words, CHANGE_DAY)) return yield* askDay(c, doctorOf(step), purpose);
    if (refused || containsAny(c.words, [...NOT_THAT_TIME, ...CHANGE_TIME]))
      return yield* askTime({ ...c, preface: c.say('other_times') }, doctorOf(step), step.date, { page: step.page, ...purpose });
    return day && (yield* askTime(c, doctorOf(step), step.date, purpose));
  }
  if (!day && !hasTime) return undefined;
  return yield* followWish(c, yield* dayQuestion(withWish(c, mergeWishes(c.session.wish, { ...time, ...(day && { day }) })), doctorOf(step), purpose));
}

/** The listed day with this number in its date; else the day in this place of the list; else the next date with this number. */
function* chooseDayByNumber(c: Context, step: StepOf<'day'>, purpose: Purpose): Turn<TurnResult | undefined> {
  const number = Number(c.words);
  const listed = (yield* listFreeDays(step.doctorId, step.from, yield* needsOf(purpose))).slice(0, MOST_ROWS - 1);
  const { date } = listed.find((one) => Number(one.date.slice(8)) === number) ?? listed[number - 1] ?? {};
  const day: Wish['day'] = date === undefined ? parseDayWish(` el ${number} `, dateIn(c.facts.zone, c.facts.now), c.session.language) : { kind: 'date', date };
  return day && (yield* followWish(c, yield* dayQuestion(withWish(c, mergeWishes(c.session.wish, { day })), doctorOf(step), purpose)));
}

const SAME_DAY = [' mismo dia ', ' same day '];
const SAME_TIME = [' misma hora ', ' mismo horario ', ' same time '];

function* timeOfMoved(move: string): Turn<TimeWish> {
  const moved = (yield* request('appointments', {})).find(({ id }) => id === move);
  return moved ? { times: [moved.time] } : {};
}

/** The day of the appointment that is moved, at the time that the message names. */
function* moveWithinDay(c: Context, step: StepOf<'day' | 'time'>, move: string): Turn<TurnResult | undefined> {
  const moved = (yield* request('appointments', {})).find(({ id }) => id === move);
  const { refused: _, day: __, ...wish } = parseWish(c) ?? {};
  return moved && (yield* chooseTimeOf(withWish(c, wish), doctorOf(step), moved.date, { move }));
}

/** A result that asks for the day: the question itself if the wish names none. */
function* dayQuestion(c: Context, doctor: Doctor, purpose: Purpose): Turn {
  if (!c.session.wish?.day) return yield* askDay({ ...c, preface: c.say('noted') }, doctor, purpose);
  const from = dateIn(c.facts.zone, c.facts.now);
  return { session: { ...c.session, step: { name: 'day', doctorId: doctor.id, doctorName: doctor.name, from, ...purpose } } };
}

/** Whether the message names a day other than the one whose times are shown. The weekday of that day is not another day. */
function namesOtherDay(c: Context, day: NonNullable<Wish['day']>, shown: string): boolean {
  if (day.kind !== 'date' || day.date === shown) return day.kind !== 'date';
  const fromShown = parseWish(c, shown)?.day;
  return fromShown?.kind !== 'date' || fromShown.date !== shown || day.date === dateIn(c.facts.zone, c.facts.now);
}

/** Another day or time for a booking or a change that is not confirmed yet; undefined when the message names neither. */
export function* changeTime(before: Context, step: StepOf<'whom' | 'name' | 'confirm' | 'confirm_move'>): Turn<TurnResult | undefined> {
  // Whoever the appointment is for is already known.
  const c = step.name === 'confirm' ? withWish(before, { name: step.notes ?? step.patientName }) : before;
  const { refused, ...wish } = parseWish(c) ?? {};
  const isEmpty = !refused && Object.keys(wish).length === 0;
  const [otherDay, otherTime] = [isEmpty && containsAny(c.words, CHANGE_DAY), isEmpty && containsAny(c.words, CHANGE_TIME)];
  if (isEmpty && !otherDay && !otherTime) return undefined;
  yield* releaseSlot(c);
  const purpose = step.name === 'confirm_move' ? { move: step.move } : { typeId: step.typeId };
  if (otherDay) return yield* askDay(c, doctorOf(step.slot), purpose);
  if (otherTime) return yield* askTime(c, doctorOf(step.slot), step.slot.date, purpose);
  const onDay = mergeWishes(c.session.wish, { day: { kind: 'date', date: step.slot.date }, ...wish });
  const result = yield* followWish(
    c,
    yield* dayQuestion({ ...c, session: { ...c.session, step: { name: 'idle' }, wish: onDay } }, doctorOf(step.slot), purpose),
  );
  const held = result.session.step;
  return step.name === 'confirm' && 'draftId' in held ? askToBook({ ...c, session: result.session }, held, step) : result;
}
