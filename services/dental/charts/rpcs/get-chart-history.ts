// A page of the entries of a chart, newest first, including corrected and voided ones.
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { parsePage } from '@clinic/lib/formats/page.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetChartHistoryRequest } from '@clinic/proto/dental/v1/chart_pb.js';
import type { App } from '../../app.ts';
import { getPatient } from '../../patients/find-patients.ts';
import { type HistoryRow, listHistory } from '../sql/chart-entries.sql.ts';

export async function getChartHistory(app: App, request: GetChartHistoryRequest, call: Call) {
  const { id } = clinicOf(call);
  const { page, limit, offset } = parsePage(request, 50, 500);
  const patient = await getPatient(app, call, request.patientId);
  const { rows, total } = await listHistory(app.db, id, patient.id, limit, offset);
  return { entries: rows.map(toProto), total, page, limit };
}

function toProto(entry: HistoryRow) {
  return {
    id: entry.id,
    number: entry.number,
    kind: entry.kind,
    tooth: entry.teeth[0],
    teeth: entry.teeth,
    pontics: entry.pontics,
    finding: entry.finding ?? undefined,
    surfaces: entry.surfaces,
    status: entry.status ?? undefined,
    dentition: entry.dentition ?? undefined,
    notes: entry.notes ?? undefined,
    replaces: entry.replaces ?? undefined,
    replacedBy: entry.replaced_by ?? undefined,
    recordedBy: entry.recorded_by,
    createdAt: timestampFromDate(entry.created_at),
  };
}
