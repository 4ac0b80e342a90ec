// Merges of the last 30 days.
import { parsePage } from '@clinic/lib/formats/page.ts';
import { parseUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { ListMergesRequest } from '@clinic/proto/scheduling/v1/patient_family_pb.js';
import type { App } from '../app.ts';
import { listMerges as list, toMerge } from './patient-merges.sql.ts';

export async function listMerges(app: App, request: ListMergesRequest, call: Call) {
  const page = parsePage(request, 50, 500);
  const patientId = request.patientId === '' ? null : parseUuid('patient_id', request.patientId);
  const { rows, total } = await list(app.db, clinicOf(call).id, patientId, page, app.clock.now());
  return { merges: rows.map(toMerge), total, page: page.page, limit: page.limit };
}
