// How many minutes doctors can be booked: working hours without breaks and vacations. Each weekday is computed once; days on which
// the clocks change are computed separately.
import { addDays } from '@clinic/lib/formats/local-date.ts';
import { IANAZone } from 'luxon';
import { type LocalDay, localDay } from '../clinics/local-day-rules.ts';
import { isOnVacation, rangesOn, type Timetable } from '../slots/coverage-rules.ts';
import { type Interval, joined, openIntervals } from '../slots/interval-rules.ts';
import { datesBetween, weekdayOf } from './period-rules.ts';

/** The week of a doctor, and the first and last date on which it counts. */
type Presence = Timetable & { since: string; until?: string | undefined };

const MINUTE = 60_000;
const LAST = '9999-12-31';
const DAY_WITHOUT_CHANGE: Pick<LocalDay, 'at'> = { at: (minutes) => minutes * MINUTE };

/** The dates of a period, computed once for all doctors. `changes` is set for days on which the clocks may change. */
export type Calendar = { date: string; weekday: number; changes: LocalDay | undefined }[];

export function calendarOf(zone: string, from: string, to: string): Calendar {
  const rules = IANAZone.create(zone);
  const changing = new Set<string>();
  let before = rules.offset(Date.parse(addDays(from, -1)));
  for (const date of datesBetween(from, addDays(to, 2))) {
    const after = rules.offset(Date.parse(date));
    // The change was within 24 hours before this UTC midnight, which is on one of three local dates in any zone.
    if (after !== before) for (const near of [-2, -1, 0]) changing.add(addDays(date, near));
    before = after;
  }
  return datesBetween(from, to).map((date) => ({
    date,
    weekday: weekdayOf(date),
    changes: changing.has(date) ? localDay(zone, date) : undefined,
  }));
}

/** Minutes by weekday, 0 Sunday to 6 Saturday. */
export function availableMinutes(doctor: Presence, calendar: Calendar): number[] {
  const minutesOn = (weekday: number, day: Pick<LocalDay, 'at'>) => minutesIn(openOn(doctor, weekday, day));
  const usual = Array.from({ length: 7 }, (_, weekday) => minutesOn(weekday, DAY_WITHOUT_CHANGE));
  const sums = usual.map(() => 0);
  for (const { date, weekday, changes } of calendar) {
    if (!isPresent(doctor, date)) continue;
    sums[weekday] = (sums[weekday] ?? 0) + (changes ? minutesOn(weekday, changes) : (usual[weekday] ?? 0));
  }
  return sums;
}

/** Minutes of each date in which at least one of the doctors works. Each weekday is computed once for the doctors who are present on it. */
export function openMinutes(doctors: Presence[], calendar: Calendar): { date: string; minutes: number }[] {
  const known = new Map<string, number>();
  return calendar.map(({ date, weekday, changes }) => {
    const present = doctors.flatMap((doctor, index) => (isPresent(doctor, date) ? [{ doctor, index }] : []));
    const key = changes ? date : `${weekday} ${present.map(({ index }) => index)}`;
    const open = () => present.flatMap(({ doctor }) => openOn(doctor, weekday, changes ?? DAY_WITHOUT_CHANGE));
    const minutes = known.get(key) ?? minutesIn(joined(open()));
    known.set(key, minutes);
    return { date, minutes };
  });
}

const openOn = ({ hours, breaks }: Presence, weekday: number, day: Pick<LocalDay, 'at'>): Interval[] =>
  openIntervals(rangesOn(hours, weekday), rangesOn(breaks, weekday), day);

const minutesIn = (spans: Interval[]) => spans.reduce((sum, { start, end }) => sum + (end - start) / MINUTE, 0);

const isPresent = ({ vacations, since, until = LAST }: Presence, date: string) => since <= date && date <= until && !isOnVacation(vacations, date);
