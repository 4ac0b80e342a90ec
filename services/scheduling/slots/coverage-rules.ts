// Which booked appointments lie outside of a doctor's hours.
import { localDay } from '../clinics/local-day-rules.ts';
import { isFree, type Range, toInterval } from './interval-rules.ts';

type Weekly = Range & { day_of_week: number };
export type Booked = { appointment_date: string; start_time: string; starts_at: Date; ends_at: Date };
export type Timetable = { hours: Weekly[]; breaks: Weekly[]; vacations: { start_date: string; end_date: string }[] };

export const isOnVacation = (vacations: Timetable['vacations'], date: string): boolean =>
  vacations.some(({ start_date, end_date }) => start_date <= date && date <= end_date);

/** `weekday` is 0 (Sunday) to 6. */
export const rangesOn = (ranges: Weekly[], weekday: number): Range[] => ranges.filter(({ day_of_week }) => day_of_week === weekday);

/** Appointments that do not lie within one range of hours, or that overlap a break or a vacation. */
export function uncovered<B extends Booked>(appointments: B[], timetable: Timetable, zone: string): B[] {
  return appointments.filter((appointment) => !covers(appointment, timetable, zone));
}

function covers(appointment: Booked, { hours, breaks, vacations }: Timetable, zone: string): boolean {
  const { appointment_date: date } = appointment;
  if (isOnVacation(vacations, date)) return false;
  const day = localDay(zone, date);
  const ofDay = (ranges: Weekly[]) => rangesOn(ranges, day.weekday).map((range) => toInterval(range, day));
  const [start, end] = [appointment.starts_at.getTime(), appointment.ends_at.getTime()];
  return ofDay(hours).some((range) => range.start <= start && end <= range.end) && isFree({ start, end }, ofDay(breaks));
}
