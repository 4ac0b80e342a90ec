// When appointments take place after the clinic's time zone has changed: at the same local time.
import { localDay, minutesOf, timeOf } from '../clinics/local-day-rules.ts';
import { type Interval, isFree } from '../slots/interval-rules.ts';

type Dated = { appointment_date: string; start_time: string };
export type Placed = Dated & {
  id: string;
  doctor_id: string;
  resource_id: string | null;
  end_time: string;
  starts_at: Date;
  busy_until: Date;
  /** Without the buffer. */
  minutes: number;
  is_active: boolean;
};

/** For a local time that the clocks skip, the end of the gap. */
export const instantOf = ({ appointment_date, start_time }: Dated, zone: string): Date => new Date(localDay(zone, appointment_date).at(minutesOf(start_time)));

const exists = (dated: Dated, zone: string): boolean =>
  localDay(zone, dated.appointment_date).clockAt(instantOf(dated, zone).getTime()) === minutesOf(dated.start_time);

/**
 * Appointments from the date `from` on, with the instants that their local times have in `zone`. An active one that would overlap another active one of
 * its doctor, or of its chair or room, begins when that is over; appointments in an hour that the clocks skip are placed last.
 */
export function placeAppointments(appointments: Placed[], from: string, zone: string): Placed[] {
  const holds = new Map<string, Interval[]>();
  const place = (appointment: Placed): Placed => {
    if (appointment.appointment_date < from) return appointment;
    const length = appointment.busy_until.getTime() - appointment.starts_at.getTime();
    const wanted = instantOf(appointment, zone).getTime();
    const others = takenBy(appointment).flatMap((id) => holds.get(id) ?? []);
    const start = appointment.is_active ? firstFree(wanted, length, others) : wanted;
    return { ...appointment, end_time: endTimeOf(appointment, zone), starts_at: new Date(start), busy_until: new Date(start + length) };
  };
  const { existing = [], skipped = [] } = Object.groupBy(appointments, (appointment) =>
    appointment.appointment_date < from || exists(appointment, zone) ? 'existing' : 'skipped',
  );
  return [...existing, ...skipped]
    .map((appointment) => {
      const placed = place(appointment);
      const hold = { start: placed.starts_at.getTime(), end: placed.busy_until.getTime() };
      if (placed.is_active) for (const id of takenBy(placed)) holds.set(id, [...(holds.get(id) ?? []), hold]);
      return placed;
    })
    .filter(({ appointment_date }) => appointment_date >= from);
}

/** What the clocks show at the end, which depends on the zone if they change in between. For a start that they skip, the start and the length. */
function endTimeOf(appointment: Placed, zone: string): string {
  const start = instantOf(appointment, zone).getTime();
  const day = localDay(zone, appointment.appointment_date);
  const shownStart = minutesOf(appointment.start_time);
  const end = exists(appointment, zone) ? day.clockAt(start + appointment.minutes * 60_000) : shownStart + appointment.minutes;
  return `${timeOf(end)}:00`;
}

/** The ids of the doctor and of the chair or room. */
const takenBy = ({ doctor_id, resource_id }: Placed): string[] => (resource_id ? [doctor_id, resource_id] : [doctor_id]);

function firstFree(start: number, length: number, holds: Interval[]): number {
  const other = holds.find((hold) => !isFree({ start, end: start + length }, [hold]));
  return other ? firstFree(other.end, length, holds) : start;
}
