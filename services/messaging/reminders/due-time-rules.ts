// Decides when the reminders of an appointment are due: in the clinic's zone, and outside its quiet hours.
import { type QuietHours, quietHoursAt } from '../outbound/quiet-hours-rules.ts';

export type ReminderKind = 'day' | 'hours';

export const REMINDER_KINDS: ReminderKind[] = ['day', 'hours'];
const MINUTE = 60_000;
const AHEAD_MS = { day: 24 * 60 * MINUTE, hours: 120 * MINUTE };
const MAX_LATE_MS = { day: 12 * 60 * MINUTE, hours: 110 * MINUTE };
const MIN_NOTICE_MS = 60 * MINUTE;
/** How long before the quiet hours a reminder that is moved to the evening before is due, so that a late run does not fall into them. */
const BEFORE_QUIET_MINUTES = 30;

/** Undefined if the appointment was booked less than an hour before its reminder would be due. */
export function dueAt(kind: ReminderKind, startsAt: Date, bookedAt: Date, zone: string, quiet: QuietHours): Date | undefined {
  const wanted = new Date(startsAt.getTime() - AHEAD_MS[kind]);
  const hours = quietHoursAt(wanted, zone, quiet);
  // The reminder of the day before can be sent when the quiet hours end, unless they are so long that it is too late then. For the one two hours before, it
  // always is.
  const isInMorning = kind === 'day' && hours && hours.end.getTime() - wanted.getTime() < MAX_LATE_MS.day;
  const due = !hours ? wanted : isInMorning ? hours.end : new Date(hours.begin.getTime() - BEFORE_QUIET_MINUTES * MINUTE);
  return due.getTime() - bookedAt.getTime() >= MIN_NOTICE_MS && due < startsAt ? due : undefined;
}

/** A reminder that the quiet hours hold is sent when they end, if at least this much time is left. */
const MIN_LEFT_MS = 30 * MINUTE;

/** Whether a due reminder is sent, dropped because it is too late, or postponed to the returned instant. */
export function decideDue(kind: ReminderKind, startsAt: Date, now: Date, zone: string, quiet: QuietHours): 'send' | 'drop' | Date {
  const left = startsAt.getTime() - now.getTime();
  if (left <= AHEAD_MS[kind] - MAX_LATE_MS[kind]) return 'drop';
  const hours = quietHoursAt(now, zone, quiet);
  if (!hours) return 'send';
  return hours.end.getTime() <= startsAt.getTime() - MIN_LEFT_MS ? hours.end : 'drop';
}
