// Occupancy: booked of available minutes, by doctor and by weekday.

import type { MessageInitShape } from '@bufbuild/protobuf';
import { dateIn } from '@clinic/lib/formats/local-date.ts';
import type { OccupancySchema } from '@clinic/proto/scheduling/v1/analytics_pb.js';
import { availableMinutes, calendarOf } from './available-minutes-rules.ts';
import { rateFigure, type Share } from './figure-rules.ts';
import type { Period } from './period-rules.ts';
import type { AppointmentSums, DoctorRow, Sums } from './sql/dashboard.sql.ts';
import { appointmentsPath } from './to-figures.ts';

/** Booked and available minutes of a doctor on a weekday, in the period or in the one before. */
type Cell = { current: boolean; weekday: number; doctor: DoctorRow } & Share;

const WEEKDAYS = [0, 1, 2, 3, 4, 5, 6];

export function toOccupancy({ appointments, doctors }: Sums, period: Period, zone: string): MessageInitShape<typeof OccupancySchema> {
  const cells = [...cellsOf(true, appointments, doctors, period, zone), ...cellsOf(false, appointments, doctors, period, zone)];
  const toFigures = (some: Cell[], more: Record<string, string> = {}) => {
    const [now, before] = [sum(some.filter(({ current }) => current)), sum(some.filter(({ current }) => !current))];
    return { rate: rateFigure(now, before, appointmentsPath(period, more)), bookedMinutes: BigInt(now.part), availableMinutes: BigInt(now.whole) };
  };
  const shown = doctors.filter(({ id, is_active }) => is_active || appointments.some(({ doctor_id }) => doctor_id === id));
  return {
    ...toFigures(cells),
    byDoctor: shown.map(({ id, full_name }) => ({
      doctorId: id,
      fullName: full_name,
      ...toFigures(
        cells.filter(({ doctor }) => doctor.id === id),
        { doctor_id: id },
      ),
    })),
    byWeekday: WEEKDAYS.map((weekday) => ({ weekday, ...toFigures(cells.filter((cell) => cell.weekday === weekday)) })),
  };
}

function cellsOf(current: boolean, appointments: AppointmentSums[], doctors: DoctorRow[], period: Period, zone: string): Cell[] {
  const calendar = current ? calendarOf(zone, period.from, period.to) : calendarOf(zone, period.previousFrom, period.previousTo);
  const booked = new Map(appointments.filter((one) => one.current === current).map(({ doctor_id, weekday, minutes }) => [`${doctor_id} ${weekday}`, minutes]));
  return doctors.flatMap((doctor) => {
    const available = availableMinutes({ ...doctor, ...presenceOf(doctor, zone) }, calendar);
    return WEEKDAYS.map((weekday) => ({
      current,
      weekday,
      doctor,
      part: booked.get(`${doctor.id} ${weekday}`) ?? 0,
      whole: available[weekday] ?? 0,
    }));
  });
}

/**
 * The dates between which a doctor's hours count: from the doctor's first day, or first appointment when older ones were imported; an
 * inactive doctor's until the last appointment.
 */
function presenceOf({ created_at, first_appointment, last_appointment, is_active }: DoctorRow, zone: string): { since: string; until?: string } {
  const created = dateIn(zone, created_at);
  const since = first_appointment !== null && first_appointment < created ? first_appointment : created;
  return is_active ? { since } : { since, until: last_appointment ?? '' };
}

const sum = (cells: Share[]): Share => ({
  part: cells.reduce((minutes, { part }) => minutes + part, 0),
  whole: cells.reduce((minutes, { whole }) => minutes + whole, 0),
});
