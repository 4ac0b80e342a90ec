// The day and the time of day that a message asks for.
import { parseDayWish, withoutClockTimes } from '@clinic/lib/formats/day-text.ts';
import { dateIn } from '@clinic/lib/formats/local-date.ts';
import { parseTimeWish, splitRefusals } from './parse-free-time.ts';
import { isForMyself, isForRelative, parseNamed } from './parse-person-name.ts';
import { withPreface } from './replies.ts';
import type { Context, Wish } from './session.ts';

/** Whether a message, folded by foldPhrase(), is only a number. */
export const isNumber = (words: string): boolean => /^ \d{1,2} $/.test(words);

/** `refused` are times that the message refuses, HH:MM. Undefined when the message says nothing about days or times. */
export function parseWish({ text, facts, session }: Context, today = dateIn(facts.zone, facts.now)): (Wish & { refused?: string[] }) | undefined {
  const named = parseDayWish(withoutClockTimes(splitRefusals(text).wanted), today, session.language);
  const day: Wish['day'] = named?.kind === 'date' && named.date < today ? { kind: 'past' } : named;
  const time = parseTimeWish(text);
  return day || time ? { ...time, ...(day && { day }) } : undefined;
}

/** Says that there is no such day any more, or never; undefined for any other day. */
export function dayProblem({ say }: Context, day: Wish['day']): string | undefined {
  return day?.kind === 'past' ? say('day_past') : day?.kind === 'impossible' ? say('no_such_day') : undefined;
}

/** Explains before the next question that the day of the message is in the past or does not exist. */
export function explainDay(c: Context): Context {
  const problem = dayProblem(c, parseWish(c)?.day);
  return problem === undefined ? c : { ...c, preface: withPreface(c.preface, problem) };
}

/** Replaces the day, the time of day, the doctor and the person of an earlier wish, each if the newer one has it. */
export function mergeWishes(earlier: Wish | undefined, { day, doctorId, name, forOther, ...time }: Wish): Wish {
  const { day: earlierDay, doctorId: earlierDoctor, name: earlierName, forOther: isEarlierForOther, ...earlierTime } = earlier ?? {};
  const [latestDay, latestDoctor] = [day ?? earlierDay, doctorId ?? earlierDoctor];
  // «Para mí» replaces another person who was named before.
  const latestName = name ?? (forOther === false ? undefined : earlierName);
  return {
    ...(Object.keys(time).length > 0 ? time : earlierTime),
    ...(latestDay && { day: latestDay }),
    ...(latestDoctor && { doctorId: latestDoctor }),
    ...(latestName && { name: latestName }),
    ...((forOther ?? isEarlierForOther) && { forOther: true }),
  };
}

export const withWish = (c: Context, wish: Wish): Context => ({ ...c, session: { ...c.session, wish } });

/** «Para la otra semana» names no person. */
const OTHER_DAY = / para (?:la|el) otr[ao](?= )/g;

/** The person for whom the message says that the appointment is. */
function parsePerson({ input, words, facts }: Context): Pick<Wish, 'name' | 'forOther'> {
  // The name that a new patient has given is the patient's own.
  if (isForMyself(words) && facts.patientName) return { forOther: false };
  const name = parseNamed(input.text);
  return { ...(name && { name }), ...(isForRelative(words.replaceAll(OTHER_DAY, '')) && { forOther: true }) };
}

/** Remembers the person for whom the message says that the appointment is. */
export const rememberPerson = (c: Context): Context => withWish(c, mergeWishes(c.session.wish, parsePerson(c)));

/** Remembers what the message asks for, until the questions that come first are answered. A number alone is a place in a list. */
export function rememberWish(c: Context): Context {
  if (isNumber(c.words)) return c;
  const { refused: _, day, ...time } = parseWish(c) ?? {};
  const wish: Wish = { ...time, ...(day && dayProblem(c, day) === undefined && { day }), ...parsePerson(c) };
  return Object.keys(wish).length === 0 ? explainDay(c) : withWish(explainDay(c), mergeWishes(c.session.wish, wish));
}

/** The appointment that a message asks to move, up to its new day. */
const MOVED =
  /(cita|turno|la|(?:cambi|mov|muev|pas|corr)\p{L}*|appointment|it|change|move|reschedule)\s+(?:del?|que\s+tengo|on|from)\s.*?\s(?=(?:para|to|for)\s|al?\s+(?!las?\s))/iu;

/** Likewise up to its new time: «la cita de las 10 a las 2». */
const MOVED_TIME =
  /(?<=(?:cita|turno|consulta|hora|la|(?:c[aá]mbi|mov|mu[eé]v|p[aá]s|c[oó]rr|reprogram|reagend)\p{L}*)(?:\s+(?:del?|el)\s+\p{L}+)?)\sde\s+las?\s+\S+(?:\s+y\s+\S+|\s+de\s+la\s+\S+|\s+[ap]\.?\s?m\.?)?\s(?=(?:a|para)\s+las?\s)/iu;

/** Remembers the new day and time of an appointment to move, without those that it has: «mi cita del lunes a las 9 para el viernes». */
export function rememberNewTime(c: Context): Context {
  const moved = { ...c, text: c.text.replace(MOVED, '$1 ').replace(MOVED_TIME, ' ') };
  // «Mi cita del viernes para las 10» names no other day.
  const isSameDay = parseWish(c)?.day && !parseWish(moved)?.day;
  return rememberWish(isSameDay ? c : moved);
}
