// Cancels the coming appointments of a series, from a date on.
import type { MessageInitShape } from '@bufbuild/protobuf';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail } from '@clinic/lib/errors/errors.ts';
import { parseLocalDate } from '@clinic/lib/formats/local-date.ts';
import { parseOptionalText } from '@clinic/lib/formats/text.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { AppointmentSchema } from '@clinic/proto/scheduling/v1/appointment_pb.js';
import type { CancelSeriesRequest } from '@clinic/proto/scheduling/v1/appointment_series_pb.js';
import type { App } from '../app.ts';
import { lockComingOfSeries } from '../appointments/appointments.sql.ts';
import { changeStatus } from '../appointments/update-appointment-status.ts';
import { findZone } from '../clinics/clinics.sql.ts';
import { lockDay } from '../slots/doctor-day.sql.ts';
import { existsSeries } from './appointment-series.sql.ts';

export async function cancelSeries(app: App, request: CancelSeriesRequest, call: Call) {
  const clinic = clinicOf(call);
  const from = parseLocalDate('from', request.from);
  const reason = parseOptionalText('cancellation_reason', request.cancellationReason, 1000);
  if (!isUuid(request.id)) fail('NOT_FOUND', 'Series not found');
  return inTenant(app.db, clinic.id, async (tx) => {
    const [coming, timezone] = await Promise.all([lockComingOfSeries(tx, request.id, from, app.clock.now()), findZone(tx, clinic.id, clinic.timezone)]);
    if (coming.length === 0 && !(await existsSeries(tx, request.id))) fail('NOT_FOUND', 'Series not found');
    await lockDay(tx, ...new Set(coming.map(({ doctor_id }) => doctor_id))); // in the order of their ids
    const cancelled: MessageInitShape<typeof AppointmentSchema>[] = [];
    for (const [index, before] of coming.entries()) {
      const change = { status: 'cancelled', reason, byClinic: false, seriesPosition: coming.length > 1 ? index + 1 : 0 };
      cancelled.push(await changeStatus(app, tx, call, before, change, timezone));
    }
    return { cancelled };
  });
}
