// The period of which operators request the usage. Days are in UTC.
import { invalid } from '@clinic/lib/errors/errors.ts';
import { isLocalDate, LOCAL_DATE_RULE } from '@clinic/lib/formats/local-date.ts';

const DAY_MS = 86_400_000;

export const dayOf = (now: Date, daysBefore = 0) => new Date(now.getTime() - daysBefore * DAY_MS).toISOString().slice(0, 10);

export function parseDays(period: { from?: string | undefined; to?: string | undefined }, now: Date, defaultDays: number) {
  const to = period.to ?? dayOf(now);
  if (!isLocalDate(to)) invalid('to', LOCAL_DATE_RULE);
  const from = period.from ?? dayOf(new Date(`${to}T00:00:00Z`), defaultDays);
  if (!isLocalDate(from)) invalid('from', LOCAL_DATE_RULE);
  if (from > to) invalid('to', 'must not be before from');
  return { from, to };
}
