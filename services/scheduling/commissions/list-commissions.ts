// The ledger, newest first.

import { readTenant } from '@clinic/lib/db/db.ts';
import { parseLocalDate } from '@clinic/lib/formats/local-date.ts';
import { parsePage } from '@clinic/lib/formats/page.ts';
import { parseUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { ListCommissionsRequest } from '@clinic/proto/scheduling/v1/commission_pb.js';
import type { App } from '../app.ts';
import { listEntriesStatement, toProto } from './commissions.sql.ts';

export async function listCommissions(app: App, request: ListCommissionsRequest, call: Call) {
  const { id } = clinicOf(call);
  const { page, limit, offset } = parsePage(request, 50, 500);
  const from = request.from === undefined ? null : parseLocalDate('from', request.from);
  const to = request.to === undefined ? null : parseLocalDate('to', request.to);
  const doctorId = request.doctorId === undefined ? null : parseUuid('doctor_id', request.doctorId);
  const entries = await readTenant(app.db, id, listEntriesStatement, [id, limit, offset, from, to, doctorId]);
  const { total = 0, total_cents: totalAmount = 0n } = entries[0] ?? {};
  return { entries: entries.filter((entry) => entry.id !== null).map(toProto), totalAmount, total, page, limit };
}
