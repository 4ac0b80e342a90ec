// The period of which operators request the usage. Days are in UTC.
import { parseDayRange, parseLocalDate } from '@clinic/lib/formats/local-date.ts';

const DAY_MS = 86_400_000;

export const dayOf = (now: Date, daysBefore = 0) => new Date(now.getTime() - daysBefore * DAY_MS).toISOString().slice(0, 10);

export function parseDays(period: { from?: string | undefined; to?: string | undefined }, now: Date, defaultDays: number) {
  const to = parseLocalDate('to', period.to ?? dayOf(now));
  return parseDayRange(period.from ?? dayOf(new Date(`${to}T00:00:00Z`), defaultDays), to);
}
