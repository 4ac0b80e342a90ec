// When a maintenance or a notice begins and ends.
import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt';
import { invalid } from '@clinic/lib/errors/errors.ts';
import { toDate } from '@clinic/lib/formats/timestamp.ts';

export function parsePeriod({ from, until }: { from?: Timestamp | undefined; until?: Timestamp | undefined }, now: Date) {
  const starts_at = from ? timestampDate(from) : now;
  const ends_at = toDate(until);
  if (ends_at && ends_at <= starts_at) invalid('until', 'must be after from');
  if (ends_at && ends_at <= now) invalid('until', 'must be in the future');
  return { starts_at, ends_at };
}
