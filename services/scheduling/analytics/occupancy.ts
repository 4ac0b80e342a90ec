// Booked over available minutes, by doctor and by weekday.

import type { MessageInitShape } from '@bufbuild/protobuf';
import { dateIn } from '@clinic/lib/formats/local-date.ts';
import type { OccupancySchema } from '@clinic/proto/scheduling/v1/analytics_pb.js';
import type { Sums } from './read-sums.ts';
import { availableMinutes, calendarOf } from './available-minutes-rules.ts';
import { rateFigure, type Share } from './figure-rules.ts';
import type { Period } from './period-rules.ts';
import { visitsIn } from './to-figures.ts';
import type { ChairRow, VisitSums } from './sql/dashboard.sql.ts';

/** Booked and available minutes of a doctor on a weekday, in the period or in the one before. */
type Cell = { current: boolean; weekday: number; doctor: ChairRow } & Share;

const WEEKDAYS = [0, 1, 2, 3, 4, 5, 6];

export function occupancyOf({ visits, chairs }: Sums, period: Period, zone: string): MessageInitShape<typeof OccupancySchema> {
  const cells = [...cellsOf(true, visits, chairs, period, zone), ...cellsOf(false, visits, chairs, period, zone)];
  const show = (some: Cell[], more: Record<string, string> = {}) => {
    const [now, before] = [sum(some.filter(({ current }) => current)), sum(some.filter(({ current }) => !current))];
    return { rate: rateFigure(now, before, visitsIn(period, more)), bookedMinutes: BigInt(now.part), availableMinutes: BigInt(now.whole) };
  };
  const shown = chairs.filter(({ id, is_active }) => is_active || visits.some(({ doctor_id }) => doctor_id === id));
  return {
    ...show(cells),
    byDoctor: shown.map(({ id, full_name }) => ({
      doctorId: id,
      fullName: full_name,
      ...show(
        cells.filter(({ doctor }) => doctor.id === id),
        { doctor_id: id },
      ),
    })),
    byWeekday: WEEKDAYS.map((weekday) => ({ weekday, ...show(cells.filter((cell) => cell.weekday === weekday)) })),
  };
}

function cellsOf(current: boolean, visits: VisitSums[], chairs: ChairRow[], period: Period, zone: string): Cell[] {
  const calendar = current ? calendarOf(zone, period.from, period.to) : calendarOf(zone, period.previousFrom, period.previousTo);
  const booked = new Map(visits.filter((one) => one.current === current).map(({ doctor_id, weekday, minutes }) => [`${doctor_id} ${weekday}`, minutes]));
  return chairs.flatMap((doctor) => {
    const available = availableMinutes({ ...doctor, ...presence(doctor, zone) }, calendar);
    return WEEKDAYS.map((weekday) => ({
      current,
      weekday,
      doctor,
      part: booked.get(`${doctor.id} ${weekday}`) ?? 0,
      whole: available[weekday] ?? 0,
    }));
  });
}

/** Visits that were brought along from before are a sign that the doctor was there; who has left was there until the last one. */
function presence({ created_at, first_visit, last_visit, is_active }: ChairRow, zone: string): { since: string; until?: string } {
  const created = dateIn(zone, created_at);
  const since = first_visit !== null && first_visit < created ? first_visit : created;
  return is_active ? { since } : { since, until: last_visit ?? '' };
}

const sum = (cells: Share[]): Share => ({
  part: cells.reduce((minutes, { part }) => minutes + part, 0),
  whole: cells.reduce((minutes, { whole }) => minutes + whole, 0),
});
