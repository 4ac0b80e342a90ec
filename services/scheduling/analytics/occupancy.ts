// Occupancy: booked of available minutes, by doctor, by weekday, and by chair or room.
import type { MessageInitShape } from '@bufbuild/protobuf';
import { dateIn } from '@clinic/lib/formats/local-date.ts';
import type { OccupancySchema } from '@clinic/proto/scheduling/v1/analytics_pb.js';
import { availableMinutes, type Calendar, calendarOf, openMinutes } from './available-minutes-rules.ts';
import { rateFigure, type Share } from './figure-rules.ts';
import type { Period } from './period-rules.ts';
import type { AppointmentSums, DoctorRow, Lifetime, ResourceRow, Sums } from './sql/dashboard.sql.ts';
import { appointmentsPath } from './to-figures.ts';

/** Booked and available minutes of a doctor on a weekday, in the period or in the one before. */
type Cell = { current: boolean; weekday: number; doctor: DoctorRow } & Share;

const WEEKDAYS = [0, 1, 2, 3, 4, 5, 6];

export function toOccupancy({ appointments, doctors, resources }: Sums, period: Period, zone: string): MessageInitShape<typeof OccupancySchema> {
  const [calendar, calendarBefore] = [calendarOf(zone, period.from, period.to), calendarOf(zone, period.previousFrom, period.previousTo)];
  const cells = [...cellsOf(true, appointments, doctors, calendar, zone), ...cellsOf(false, appointments, doctors, calendarBefore, zone)];
  const figuresOf = (now: Share, before: Share, more: Record<string, string> = {}) => ({
    rate: rateFigure(now, before, appointmentsPath(period, more)),
    bookedMinutes: BigInt(now.part),
    availableMinutes: BigInt(now.whole),
  });
  const toFigures = (some: Cell[], more: Record<string, string> = {}) =>
    figuresOf(sum(some.filter(({ current }) => current)), sum(some.filter(({ current }) => !current)), more);
  const byDoctor = Map.groupBy(cells, ({ doctor }) => doctor.id);
  const present = doctors.map((doctor) => ({ ...doctor, ...presenceOf(doctor, zone) }));
  const [open, openBefore] = resources.length > 0 ? [openMinutes(present, calendar), openMinutes(present, calendarBefore)] : [[], []];
  const openFor = (resource: ResourceRow, days: { date: string; minutes: number }[]) => {
    const { since, until } = presenceOf(resource, zone);
    return days.reduce((all, { date, minutes }) => (since <= date && (until === undefined || date <= until) ? all + minutes : all), 0);
  };
  const counts = (id: string) => appointments.some(({ doctor_id }) => doctor_id === id) || byDoctor.get(id)?.some(({ whole }) => whole > 0);
  const shown = doctors.filter(({ id, is_active }) => is_active || counts(id));
  return {
    ...toFigures(cells),
    byDoctor: shown.map(({ id, full_name }) => ({
      doctorId: id,
      fullName: full_name,
      ...toFigures(byDoctor.get(id) ?? [], { doctor_id: id }),
    })),
    byWeekday: WEEKDAYS.map((weekday) => {
      const ofWeekday = cells.filter((cell) => cell.weekday === weekday);
      return { weekday, ...toFigures(ofWeekday, { weekday: String(weekday) }) };
    }),
    byResource: resources
      .filter(({ is_active, minutes_now }) => is_active || minutes_now > 0)
      .map((resource) => ({
        resourceId: resource.id,
        name: resource.name,
        kind: resource.kind,
        ...figuresOf(
          { part: resource.minutes_now, whole: openFor(resource, open) },
          { part: resource.minutes_before, whole: openFor(resource, openBefore) },
          { resource_id: resource.id },
        ),
      })),
  };
}

function cellsOf(current: boolean, appointments: AppointmentSums[], doctors: DoctorRow[], calendar: Calendar, zone: string): Cell[] {
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
 * The dates between which the hours of a doctor or a resource count: from its creation, or from its first appointment if earlier ones were imported;
 * until the last appointment if it is inactive.
 */
function presenceOf({ created_at, first_appointment, last_appointment, is_active }: Lifetime, zone: string): { since: string; until?: string } {
  const created = dateIn(zone, created_at);
  const since = first_appointment !== null && first_appointment < created ? first_appointment : created;
  return is_active ? { since } : { since, until: last_appointment ?? '' };
}

const sum = (cells: Share[]): Share => ({
  part: cells.reduce((minutes, { part }) => minutes + part, 0),
  whole: cells.reduce((minutes, { whole }) => minutes + whole, 0),
});
