// A doctor's visits as an RFC 5545 calendar. Times are UTC instants, which every client reads alike; the stamp of a visit
// is its last change, so that an unchanged calendar is the same to the byte.
import ical, { ICalCalendarMethod, ICalEventStatus } from 'ical-generator';

export type CalendarVisit = {
  id: string;
  status: string;
  starts_at: Date;
  ends_at: Date;
  patient_name: string;
  revision: number;
  created_at: Date;
  updated_at: Date;
};

/** Only the first word of each patient's name is told. */
export function toIcs(doctorName: string, visits: CalendarVisit[]): string {
  const calendar = ical({
    name: oneLine(doctorName),
    prodId: { company: 'Clinic Management Service', product: 'Appointments', language: 'ES' },
    method: ICalCalendarMethod.PUBLISH,
    ttl: 15 * 60,
  });
  for (const visit of visits) {
    calendar.createEvent({
      id: `${visit.id}@clinic-management`,
      sequence: visit.revision - 1,
      start: visit.starts_at,
      end: visit.ends_at,
      stamp: visit.updated_at,
      created: visit.created_at,
      lastModified: visit.updated_at,
      summary: firstName(visit.patient_name),
      status: visit.status === 'pending' ? ICalEventStatus.TENTATIVE : ICalEventStatus.CONFIRMED,
    });
  }
  return calendar.toString();
}

/** A name is one line, whatever was typed: a bare carriage return would end a line of the calendar. */
const oneLine = (text: string) => text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();

export const firstName = (name: string) => oneLine(name).split(/\s+/)[0] || 'Paciente';
