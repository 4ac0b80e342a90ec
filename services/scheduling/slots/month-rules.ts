// The days of a month, and the free slots on each.
import { DateTime } from 'luxon';
import { localDay } from '../clinics/local-day-rules.ts';
import { isOnVacation, rangesOn, type Timetable } from './coverage-rules.ts';
import type { Interval } from './interval-rules.ts';
import { freeSlots, type Schedule } from './slots-rules.ts';

type MonthSchedule = Timetable & Pick<Schedule, 'consultationMinutes' | 'bufferMinutes' | 'durationMinutes' | 'busy' | 'moved' | 'resources'>;

/** The dates of a month (YYYY-MM). */
export function datesOf(month: string): string[] {
  const first = DateTime.fromISO(`${month}-01`, { zone: 'utc' });
  return Array.from({ length: first.daysInMonth ?? 0 }, (_, index) => first.plus({ days: index }).toISODate() ?? '');
}

/** The start times of the free slots by date. */
export function freeByDay(month: string, schedule: MonthSchedule, zone: string, now: number): { date: string; times: string[] }[] {
  return datesOf(month).map((date) => {
    const day = localDay(zone, date);
    const ofDay = (busy: Interval[]) => busy.filter(({ start, end }) => end > day.start && start < day.end + 24 * 3_600_000);
    const slots = freeSlots(
      {
        ...schedule,
        hours: rangesOn(schedule.hours, day.weekday),
        breaks: rangesOn(schedule.breaks, day.weekday),
        onVacation: isOnVacation(schedule.vacations, date),
        busy: ofDay(schedule.busy),
        resources: schedule.resources?.map(({ id, busy }) => ({ id, busy: ofDay(busy) })),
      },
      day,
      now,
    );
    return { date, times: slots.map(({ startTime }) => startTime) };
  });
}
