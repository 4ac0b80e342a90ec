// The waitlist in the order of arrival, with what is offered to whom.

import { readTenant } from '@clinic/lib/db/db.ts';
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { parsePage } from '@clinic/lib/formats/page.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { ListWaitlistRequest } from '@clinic/proto/scheduling/v1/waitlist_pb.js';
import type { App } from '../app.ts';
import { ENTRY_STATUSES, listEntriesStatements, toProto } from './waitlist-entries.sql.ts';

export async function listWaitlist(app: App, request: ListWaitlistRequest, call: Call) {
  const { id } = clinicOf(call);
  const { page, limit, offset } = parsePage(request, 50, 500);
  const status = request.status === undefined ? undefined : parseOneOf('status', request.status, ENTRY_STATUSES);
  const { all, ofStatus } = listEntriesStatements;
  const entries = await readTenant(app.db, id, status ? ofStatus : all, [id, limit, offset, ...(status ? [status] : [])]);
  return { entries: entries.filter((entry) => entry.id !== null).map(toProto), total: entries[0]?.total ?? 0, page, limit };
}
