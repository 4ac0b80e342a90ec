// Entries of the commission ledger, newest first.
import { parseLocalDate } from '@clinic/lib/formats/local-date.ts';
import { parsePage } from '@clinic/lib/formats/page.ts';
import { parseUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { ListCommissionsRequest } from '@clinic/proto/scheduling/v1/commission_pb.js';
import type { App } from '../app.ts';
import { listEntries, toProto } from './commissions.sql.ts';

export async function listCommissions(app: App, request: ListCommissionsRequest, call: Call) {
  const { page, limit, offset } = parsePage(request, 50, 500);
  const filter = {
    from: request.from === undefined ? null : parseLocalDate('from', request.from),
    to: request.to === undefined ? null : parseLocalDate('to', request.to),
    doctorId: request.doctorId === undefined ? null : parseUuid('doctor_id', request.doctorId),
  };
  const { rows, total, total_cents } = await listEntries(app.db, clinicOf(call).id, filter, limit, offset);
  return { entries: rows.map(toProto), totalAmount: total_cents, total, page, limit };
}
