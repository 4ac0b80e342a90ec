// The period of a list, from one local date to another, both included.
import { addDays, parseDayRange } from '@clinic/lib/formats/local-date.ts';
import { localDay } from './local-day-rules.ts';

/** The instants at which the period begins and ends; null where it is open. Throws VALIDATION_ERROR with the field. */
export function parsePeriod(request: { from?: string | undefined; to?: string | undefined }, zone: string) {
  const { from, to } = parseDayRange(request.from, request.to);
  const startOf = (date: string) => new Date(localDay(zone, date).start);
  return {
    from: from === undefined ? null : startOf(from),
    until: to === undefined ? null : startOf(addDays(to, 1)),
  };
}
