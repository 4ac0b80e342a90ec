// iCalendar files (RFC 5545).
import ical, { type ICalCalendar, ICalCalendarMethod } from 'ical-generator';

type Options = { product: string; name?: string; ttl?: number };

/** An empty calendar in Spanish that is published, not sent as an invitation. `ttl`: seconds until clients read it again. */
export const newCalendar = ({ product, ...options }: Options): ICalCalendar =>
  ical({ ...options, prodId: { company: 'Clinic Management Service', product, language: 'ES' }, method: ICalCalendarMethod.PUBLISH });

// A calendar must have a component (3.6). Times are UTC, so this one changes nothing.
const UTC = [
  ...['BEGIN:VTIMEZONE', 'TZID:UTC', 'BEGIN:STANDARD', 'DTSTART:19700101T000000', 'TZOFFSETFROM:+0000', 'TZOFFSETTO:+0000'],
  ...['END:STANDARD', 'END:VTIMEZONE'],
];

/** The library omits the end of the last line (3.1), and writes a calendar without events as one without components. */
export function toCalendarFile(calendar: ICalCalendar): string {
  const text = calendar.toString();
  return `${calendar.length() > 0 ? text : text.replace(/END:VCALENDAR$/, [...UTC, '$&'].join('\r\n'))}\r\n`;
}
