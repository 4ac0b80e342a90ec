// The period of a list, from one local date to another, both included.
import { addDays, parseLocalDate } from '@clinic/lib/formats/local-date.ts';
import { localDay } from './local-day-rules.ts';

/** The instants at which the period begins and ends; null where it is open. */
export function parsePeriod({ from, to }: { from?: string | undefined; to?: string | undefined }, zone: string) {
  const startOf = (date: string) => new Date(localDay(zone, date).start);
  return {
    from: from === undefined ? null : startOf(parseLocalDate('from', from)),
    until: to === undefined ? null : startOf(addDays(parseLocalDate('to', to), 1)),
  };
}
