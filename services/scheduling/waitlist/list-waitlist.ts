// The waitlist in the order of arrival, with the open offer of each entry.
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { parsePage } from '@clinic/lib/formats/page.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { ListWaitlistRequest } from '@clinic/proto/scheduling/v1/waitlist_pb.js';
import type { App } from '../app.ts';
import { ENTRY_STATUSES, listEntries, toProto } from './waitlist-entries.sql.ts';

export async function listWaitlist(app: App, request: ListWaitlistRequest, call: Call) {
  const { page, limit, offset } = parsePage(request, 50, 500);
  const status = request.status === undefined ? undefined : parseOneOf('status', request.status, ENTRY_STATUSES);
  const { rows, total } = await listEntries(app.db, clinicOf(call).id, status, limit, offset);
  return { entries: rows.map(toProto), total, page, limit };
}
