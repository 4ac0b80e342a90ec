// The hours in which a clinic sends nothing but answers to patients.
import { DateTime } from 'luxon';

/** Local times as HH:MM; 21:00 to 07:00 spans midnight. Equal times mean that there are no quiet hours. */
export type QuietHours = { quiet_from: string; quiet_until: string };

const MIN_NOTICE_MS = 3_600_000;

/** The end of the current quiet hours, unless the message is needed before or within an hour of it; undefined when it is sent at once. */
export function endOfQuietHours(now: Date, neededBy: Date | null, zone: string, quiet: QuietHours): Date | undefined {
  const hours = quietHoursAt(now, zone, quiet);
  return hours && (!neededBy || hours.end.getTime() < neededBy.getTime() - MIN_NOTICE_MS) ? hours.end : undefined;
}

/** The quiet hours that contain an instant. */
export function quietHoursAt(at: Date, zone: string, { quiet_from: from, quiet_until: until }: QuietHours): { begin: Date; end: Date } | undefined {
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
