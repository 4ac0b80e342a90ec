// Positions in the timeline of a patient, which is ordered by time in milliseconds and id, the newest first.
import type { MessageInitShape } from '@bufbuild/protobuf';
import { type Timestamp, timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { TimelineEntrySchema } from '@clinic/proto/common/v1/timeline_pb.js';
import { parseInteger } from './numbers.ts';
import { parseUuid } from './uuid.ts';

export type TimelineRow = { at: Date; kind: string; id: string; title: string; status: string | null; amount_cents: bigint | null };
export type TimelineAfter = { before: Date | null; beforeId: string | null; limit: number };

/** Maximum number of entries on a page of the public API; services return one more, which shows whether another page follows. */
export const MAX_TIMELINE = 500;

/** A page of `entries`, SQL with the columns of TimelineRow after the position: $3 time, $4 id, $5 limit. */
export const timelinePage = (entries: string) => `
  select * from (select date_trunc('milliseconds', at) as at, kind, id, title, status, amount_cents from (${entries}) every) known
  where $3::timestamptz is null or (at, id) < ($3, $4::uuid) order by at desc, id desc limit $5`;

export function parseTimelineAfter(request: { before?: Timestamp | undefined; beforeId: string; limit: number }): TimelineAfter {
  const limit = parseInteger('limit', request.limit, 1, MAX_TIMELINE + 1);
  if (!request.before) return { before: null, beforeId: null, limit };
  return { before: timestampDate(request.before), beforeId: parseUuid('beforeId', request.beforeId), limit };
}

export function toTimelineEntry({ at, kind, id, title, status, amount_cents }: TimelineRow): MessageInitShape<typeof TimelineEntrySchema> {
  return { at: timestampFromDate(at), kind, id, title, status: status ?? undefined, amount: amount_cents ?? undefined };
}
