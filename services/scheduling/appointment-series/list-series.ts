// Series of the clinic, or of one patient.
import { parsePage } from '@clinic/lib/formats/page.ts';
import { parseUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { ListSeriesRequest } from '@clinic/proto/scheduling/v1/appointment_series_pb.js';
import type { App } from '../app.ts';
import { listSeries as list } from './appointment-series.sql.ts';

export async function listSeries(app: App, request: ListSeriesRequest, call: Call) {
  const page = parsePage(request, 50, 500);
  const filter = {
    patientId: request.patientId === undefined ? null : parseUuid('patient_id', request.patientId),
    doctorId: request.doctorId === undefined ? null : parseUuid('doctor_id', request.doctorId),
  };
  const { rows, total } = await list(app.db, clinicOf(call).id, filter, page, app.clock.now());
  return {
    series: rows.map((series) => ({
      id: series.id,
      patients: { id: series.patient_id, fullName: series.patient_name, phone: series.patient_phone ?? undefined },
      count: series.count,
      remaining: series.remaining,
      firstDate: series.first_date,
      lastDate: series.last_date,
      nextDate: series.next_date ?? undefined,
    })),
    total,
    page: page.page,
    limit: page.limit,
  };
}
