// iCalendar files by RFC 5545.
import { expect, test } from '@jest/globals';
import { newCalendar, toCalendarFile } from './calendar-file.ts';

test('every line ends with CRLF, and a calendar without events has a component', () => {
  const calendar = newCalendar({ product: 'Test' });
  const empty = toCalendarFile(calendar);
  expect(empty).toMatch(/^BEGIN:VCALENDAR\r\n[\s\S]*BEGIN:VTIMEZONE\r\nTZID:UTC\r\n[\s\S]*END:VTIMEZONE\r\nEND:VCALENDAR\r\n$/);
  calendar.createEvent({ id: '1', start: new Date(0), end: new Date(1), stamp: new Date(0), summary: 'Ana' });
  const file = toCalendarFile(calendar);
  expect(file).toMatch(/END:VEVENT\r\nEND:VCALENDAR\r\n$/);
  expect(file).not.toContain('VTIMEZONE');
});
