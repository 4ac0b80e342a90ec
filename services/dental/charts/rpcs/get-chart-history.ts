// A page of the entries of a chart, newest first, including corrected and voided ones.
import { parsePage } from '@clinic/lib/formats/page.ts';
import { toFields } from '@clinic/lib/formats/to-fields.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetChartHistoryRequest } from '@clinic/proto/dental/v1/chart_pb.js';
import type { App } from '../../app.ts';
import { getPatient } from '../../patients/find-patients.ts';
import { listHistory } from '../sql/chart-entries.sql.ts';

export async function getChartHistory(app: App, request: GetChartHistoryRequest, call: Call) {
  const { id } = clinicOf(call);
  const { page, limit, offset } = parsePage(request, 50, 500);
  const patient = await getPatient(app, call, request.patientId);
  const { rows, total } = await listHistory(app.db, id, patient.id, limit, offset);
  return { entries: rows.map((entry) => ({ ...toFields(entry), tooth: entry.teeth[0] })), total, page, limit };
}
