// A doctor's appointments as an iCalendar file (RFC 5545). Times are UTC, which all clients handle alike; DTSTAMP is the last change of
// the appointment or its patient, so that an unchanged calendar gives the same bytes.
import { newCalendar, toCalendarFile } from '@clinic/lib/formats/calendar-file.ts';
import { firstName, toSingleLine } from '@clinic/lib/formats/person-name.ts';
import { ICalEventStatus } from 'ical-generator';
import type { FeedAppointment } from './calendar-feeds.sql.ts';

/** Contains only the first name of each patient. */
export function toIcs(doctorName: string, appointments: FeedAppointment[]): string {
  const calendar = newCalendar({ product: 'Appointments', name: escapeText(toSingleLine(doctorName)), ttl: 15 * 60 });
  for (const appointment of appointments) {
    calendar.createEvent({
      id: `${appointment.id}@clinic-management`,
      sequence: appointment.revision - 1,
      start: appointment.starts_at,
      end: appointment.ends_at,
      stamp: appointment.updated_at,
      created: appointment.created_at,
      lastModified: appointment.updated_at,
      summary: firstName(appointment.patient_name),
      status: appointment.status === 'pending' ? ICalEventStatus.TENTATIVE : ICalEventStatus.CONFIRMED,
    });
  }
  return toCalendarFile(calendar);
}

/** RFC 5545, 3.3.11. The library escapes the texts of events, but not the name of a calendar. */
const escapeText = (text: string) => text.replaceAll(/[\\;,]/g, '\\$&');
