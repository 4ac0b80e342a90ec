// What the page behind a check-in code shows.
import { inTenant, row } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import type { GetCheckInRequest } from '@clinic/proto/scheduling/v1/check_in_pb.js';
import type { App } from '../app.ts';
import { findAppointmentStatement } from '../appointments/appointments.sql.ts';
import { findClinic } from '../clinics/clinics.sql.ts';
import { today } from '../clinics/local-day-rules.ts';
import { readCheckInToken } from './check-in-token.ts';
import { showCheckIn } from './show-check-in.ts';

export async function getCheckIn(app: App, request: GetCheckInRequest) {
  const { clinicId, appointmentId } = readCheckInToken(app.keys, request.token) ?? fail('NOT_FOUND', 'Check-in not found');
  return inTenant(app.db, clinicId, async (tx) => {
    const [visit, { timezone }] = await Promise.all([row(tx, findAppointmentStatement, [clinicId, appointmentId]), findClinic(tx, clinicId)]);
    return showCheckIn(found(visit, 'Check-in'), today(timezone, app.clock.now()));
  });
}
