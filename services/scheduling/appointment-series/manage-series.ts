// Lists and cancels series of appointments.
import type { MessageInitShape } from '@bufbuild/protobuf';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail } from '@clinic/lib/errors/errors.ts';
import { parseLocalDate } from '@clinic/lib/formats/local-date.ts';
import { parsePage } from '@clinic/lib/formats/page.ts';
import { parseOptionalText } from '@clinic/lib/formats/text.ts';
import { toFields } from '@clinic/lib/formats/to-fields.ts';
import { isUuid, parseUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { AppointmentSchema } from '@clinic/proto/scheduling/v1/appointment_pb.js';
import type { CancelSeriesRequest, ListSeriesRequest } from '@clinic/proto/scheduling/v1/appointment_series_pb.js';
import type { App } from '../app.ts';
import { lockUpcomingOfSeries } from '../appointments/appointments.sql.ts';
import { MAX_CANCELLATION_REASON } from '../appointments/status-rules.ts';
import { changeStatus } from '../appointments/update-appointment-status.ts';
import { findZoneIn } from '../clinics/clinics.sql.ts';
import { lockDay } from '../slots/doctor-day.sql.ts';
import { existsSeries, listSeries as list } from './appointment-series.sql.ts';

/** The series of the clinic, of a patient or of a doctor. */
export async function listSeries(app: App, request: ListSeriesRequest, call: Call) {
  const page = parsePage(request, 50, 500);
  const filter = {
    patientId: request.patientId === undefined ? null : parseUuid('patient_id', request.patientId),
    doctorId: request.doctorId === undefined ? null : parseUuid('doctor_id', request.doctorId),
  };
  const { rows, total } = await list(app.db, clinicOf(call).id, filter, page, app.clock.now());
  return {
    series: rows.map((series) => ({
      ...toFields(series),
      patients: { id: series.patient_id, fullName: series.patient_name, phone: series.patient_phone ?? undefined },
    })),
    total,
    page: page.page,
    limit: page.limit,
  };
}

/** Cancels the upcoming appointments of a series from a date on. */
export async function cancelSeries(app: App, request: CancelSeriesRequest, call: Call) {
  const clinic = clinicOf(call);
  const from = parseLocalDate('from', request.from);
  const reason = parseOptionalText('cancellation_reason', request.cancellationReason, MAX_CANCELLATION_REASON);
  if (!isUuid(request.id)) fail('NOT_FOUND', 'Series not found');
  return inTenant(app.db, clinic.id, async (tx) => {
    const [upcoming, timezone] = await Promise.all([lockUpcomingOfSeries(tx, request.id, from, app.clock.now()), findZoneIn(tx, clinic.id, clinic.timezone)]);
    if (upcoming.length === 0 && !(await existsSeries(tx, request.id))) fail('NOT_FOUND', 'Series not found');
    await lockDay(tx, ...new Set(upcoming.map(({ doctor_id }) => doctor_id))); // locked in the order of the doctors' ids
    const cancelled: MessageInitShape<typeof AppointmentSchema>[] = [];
    for (const [index, before] of upcoming.entries()) {
      const change = { status: 'cancelled', reason, byClinic: request.cancelledByClinic, seriesPosition: upcoming.length > 1 ? index + 1 : 0 };
      cancelled.push(await changeStatus(app, tx, call, before, change, timezone));
    }
    return { cancelled };
  });
}
