// The day and the time of day that a message asks for.
import { parseDayWish, withoutClockTimes } from '@clinic/lib/formats/day-text.ts';
import { dateIn } from '@clinic/lib/formats/local-date.ts';
import { parseTimeWish, splitRefusals } from './parse-free-time.ts';
import type { Context, Wish } from './session.ts';

/** Whether a message, folded by foldPhrase(), is only a number. */
export const isNumber = (words: string): boolean => /^ \d{1,2} $/.test(words);

/** `refused` are times that the message refuses, HH:MM. Undefined when the message says nothing about days or times. */
export function parseWish({ input, facts, session }: Context, today = dateIn(facts.zone, facts.now)): (Wish & { refused?: string[] }) | undefined {
  const day = parseDayWish(withoutClockTimes(splitRefusals(input.text).wanted), today, session.language);
  const time = parseTimeWish(input.text);
  return day || time ? { ...time, ...(day && { day }) } : undefined;
}

/** Replaces the day, the time of day and the doctor of an earlier wish, each if the newer one has it. */
export function mergeWishes(earlier: Wish | undefined, { day, doctorId, ...time }: Wish): Wish {
  const { day: earlierDay, doctorId: earlierDoctor, ...earlierTime } = earlier ?? {};
  const [latestDay, latestDoctor] = [day ?? earlierDay, doctorId ?? earlierDoctor];
  return { ...(Object.keys(time).length > 0 ? time : earlierTime), ...(latestDay && { day: latestDay }), ...(latestDoctor && { doctorId: latestDoctor }) };
}

export const withWish = (c: Context, wish: Wish): Context => ({ ...c, session: { ...c.session, wish } });

/** Remembers what the message asks for, until the questions that come first are answered. A number alone is a place in a list. */
export function rememberWish(c: Context): Context {
  if (isNumber(c.words)) return c;
  const { refused: _, ...wish } = parseWish(c) ?? {};
  return Object.keys(wish).length === 0 ? c : withWish(c, mergeWishes(c.session.wish, wish));
}
