// When the reminders of an appointment are due: in the clinic's zone and outside its quiet hours.
import { DateTime } from 'luxon';

export type ReminderKind = 'day' | 'hours';
/** Local times as HH:MM; 21:00 to 07:00 spans midnight. Equal times mean that there are no quiet hours. */
export type QuietHours = { quiet_from: string; quiet_until: string };

export const REMINDER_KINDS: ReminderKind[] = ['day', 'hours'];
const MINUTE = 60_000;
const AHEAD_MS = { day: 24 * 60 * MINUTE, hours: 120 * MINUTE };
const MIN_NOTICE_MS = 60 * MINUTE;
/** A reminder that moves to the evening before is due this long before the quiet hours, so that a late run does not fall into them. */
const BEFORE_QUIET_MINUTES = 30;

/** Undefined when the appointment was booked less than an hour before its reminder would be due. */
export function dueAt(kind: ReminderKind, startsAt: Date, bookedAt: Date, zone: string, quiet: QuietHours): Date | undefined {
  const wanted = new Date(startsAt.getTime() - AHEAD_MS[kind]);
  const hours = quietHoursAt(wanted, zone, quiet);
  // The reminder of the day before can be sent the next morning; for the one two hours before, the morning would be too late.
  const due = !hours ? wanted : kind === 'day' ? hours.end : new Date(hours.begin.getTime() - BEFORE_QUIET_MINUTES * MINUTE);
  return due.getTime() - bookedAt.getTime() >= MIN_NOTICE_MS && due < startsAt ? due : undefined;
}

const LAST_CALL_MS = 30 * MINUTE;
const MAX_LATE_MS = { day: 12 * 60 * MINUTE, hours: 110 * MINUTE };

/** What happens to a due reminder: it is sent, dropped because it is too late, or postponed to the returned instant. */
export function decideDue(kind: ReminderKind, startsAt: Date, now: Date, zone: string, quiet: QuietHours): 'send' | 'drop' | Date {
  const left = startsAt.getTime() - now.getTime();
  if (left <= AHEAD_MS[kind] - MAX_LATE_MS[kind]) return 'drop';
  const hours = quietHoursAt(now, zone, quiet);
  if (!hours) return 'send';
  return hours.end.getTime() <= startsAt.getTime() - LAST_CALL_MS ? hours.end : 'drop';
}

/** The end of the current quiet hours, if a message may wait for it; undefined when it is sent at once. */
export function endOfQuietHours(now: Date, startsAt: Date, zone: string, quiet: QuietHours): Date | undefined {
  const hours = quietHoursAt(now, zone, quiet);
  return hours && hours.end.getTime() < startsAt.getTime() - MIN_NOTICE_MS ? hours.end : undefined;
}

/** The quiet hours that contain an instant. */
function quietHoursAt(at: Date, zone: string, { quiet_from: from, quiet_until: until }: QuietHours): { begin: Date; end: Date } | undefined {
  if (from === until) return undefined;
  const local = DateTime.fromJSDate(at, { zone });
  const on = (day: DateTime, time: string) => day.set({ hour: Number(time.slice(0, 2)), minute: Number(time.slice(3, 5)), second: 0, millisecond: 0 });
  for (const days of [-1, 0]) {
    const begin = on(local.plus({ days }), from);
    const end = on(from < until ? local.plus({ days }) : local.plus({ days: days + 1 }), until);
    if (begin <= local && local < end) return { begin: begin.toJSDate(), end: end.toJSDate() };
  }
  return undefined;
}
