// The hours during which a clinic sends only replies to patients, and messages that cannot wait.
import { DateTime } from 'luxon';

/** Local times as HH:MM; 21:00 to 07:00 spans midnight. Equal times mean that there are no quiet hours. */
export type QuietHours = { quiet_from: string; quiet_until: string };

const MIN_NOTICE_MS = 3_600_000;

/** The end of the current quiet hours; undefined outside of them, or if the message is needed less than an hour after their end or earlier. */
export function endOfQuietHours(now: Date, neededBy: Date | null, zone: string, quiet: QuietHours): Date | undefined {
  const hours = quietHoursAt(now, zone, quiet);
  return hours && (!neededBy || hours.end.getTime() < neededBy.getTime() - MIN_NOTICE_MS) ? hours.end : undefined;
}

/** The quiet hours that contain an instant. The clock time is compared first, because most instants are by day and date arithmetic in luxon is slow. */
export function quietHoursAt(at: Date, zone: string, { quiet_from: from, quiet_until: until }: QuietHours): { begin: Date; end: Date } | undefined {
  const local = DateTime.fromJSDate(at, { zone });
  const time = local.toFormat('HH:mm');
  const isOvernight = from > until;
  if (isOvernight ? time < from && time >= until : time < from || time >= until) return undefined;
  const on = (days: number, clock: string) =>
    local
      .plus({ days })
      .set({ hour: Number(clock.slice(0, 2)), minute: Number(clock.slice(3, 5)), second: 0, millisecond: 0 })
      .toJSDate();
  return { begin: on(isOvernight && time < until ? -1 : 0, from), end: on(isOvernight && time >= from ? 1 : 0, until) };
}
