// How many minutes doctors offer: working hours less breaks, without vacations. A weekday has the same minutes all year,
// but for the days on which the clocks change, which are measured by themselves.
import { addDays } from '@clinic/lib/formats/local-date.ts';
import { IANAZone } from 'luxon';
import { type LocalDay, localDay } from '../clinics/local-day-rules.ts';
import type { Timetable } from '../slots/coverage-rules.ts';
import { openIntervals } from '../slots/interval-rules.ts';
import { datesBetween, weekdayOf } from './period-rules.ts';

/** The week of a doctor who is there from a day on, until another or for good. */
export type Chair = Timetable & { since: string; until?: string | undefined };

const MINUTE = 60_000;
const LAST = '9999-12-31';
const PLAIN: Pick<LocalDay, 'at'> = { at: (minutes) => minutes * MINUTE };

/** Days and what sets each apart, worked out once for all doctors. */
export type Calendar = { date: string; weekday: number; changes: LocalDay | undefined }[];

export function calendarOf(zone: string, from: string, to: string): Calendar {
  const { offset } = zoneOf(zone);
  const changing = new Set<string>();
  let before = offset(Date.parse(addDays(from, -1)));
  for (const date of datesBetween(from, addDays(to, 2))) {
    const now = offset(Date.parse(date));
    // Somewhere in these hours, and so on one of the days that are near in any zone.
    if (now !== before) for (const near of [-2, -1, 0]) changing.add(addDays(date, near));
    before = now;
  }
  return datesBetween(from, to).map((date) => ({
    date,
    weekday: weekdayOf(date),
    changes: changing.has(date) ? localDay(zone, date) : undefined,
  }));
}

function zoneOf(name: string) {
  const zone = IANAZone.create(name);
  return { offset: (instant: number) => zone.offset(instant) };
}

/** Minutes by weekday, 0 Sunday to 6 Saturday. */
export function availableMinutes({ hours, breaks, vacations, since, until = LAST }: Chair, calendar: Calendar): number[] {
  const minutesOn = (weekday: number, day: Pick<LocalDay, 'at'>) => {
    const ofDay = <R extends { day_of_week: number }>(ranges: R[]) => ranges.filter((range) => range.day_of_week === weekday);
    const spans = openIntervals(ofDay(hours), ofDay(breaks), day);
    return spans.reduce((sum, { start, end }) => sum + (end - start) / MINUTE, 0);
  };
  const usual = Array.from({ length: 7 }, (_, weekday) => minutesOn(weekday, PLAIN));
  const sums = usual.map(() => 0);
  for (const { date, weekday, changes } of calendar) {
    if (date < since || date > until || vacations.some(({ start_date, end_date }) => start_date <= date && date <= end_date)) continue;
    sums[weekday] = (sums[weekday] ?? 0) + (changes ? minutesOn(weekday, changes) : (usual[weekday] ?? 0));
  }
  return sums;
}
