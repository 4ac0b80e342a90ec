// Which booked visits a doctor's hours no longer cover.
import { localDay } from '../clinics/local-day-rules.ts';
import { isFree, type Range, toInterval } from './interval-rules.ts';

export type Weekly = Range & { day_of_week: number };
export type Booked = { appointment_date: string; start_time: string; starts_at: Date; ends_at: Date };
export type Timetable = { hours: Weekly[]; breaks: Weekly[]; vacations: { start_date: string; end_date: string }[] };

/** The visits that do not lie within one range of hours, or that touch a break or a vacation. */
export function uncovered<B extends Booked>(visits: B[], timetable: Timetable, zone: string): B[] {
  return visits.filter((visit) => !covers(visit, timetable, zone));
}

function covers(visit: Booked, { hours, breaks, vacations }: Timetable, zone: string): boolean {
  const { appointment_date: date } = visit;
  if (vacations.some(({ start_date, end_date }) => start_date <= date && date <= end_date)) return false;
  const day = localDay(zone, date);
  const ofDay = (ranges: Weekly[]) => ranges.filter((range) => range.day_of_week === day.weekday).map((range) => toInterval(range, day));
  const [start, end] = [visit.starts_at.getTime(), visit.ends_at.getTime()];
  return ofDay(hours).some((range) => range.start <= start && end <= range.end) && isFree({ start, end }, ofDay(breaks));
}
