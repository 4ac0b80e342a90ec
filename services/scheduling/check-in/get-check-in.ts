// What the page behind a check-in code shows.

import { fail, found } from '@clinic/lib/errors/errors.ts';
import { dateIn } from '@clinic/lib/formats/local-date.ts';
import type { GetCheckInRequest } from '@clinic/proto/scheduling/v1/check_in_pb.js';
import type { App } from '../app.ts';
import { findAppointment } from '../appointments/appointments.sql.ts';
import { readZone } from '../clinics/clinics.sql.ts';
import { readCheckInToken } from './check-in-token.ts';
import { showCheckIn } from './check-in-view.ts';

export async function getCheckIn(app: App, request: GetCheckInRequest) {
  const { clinicId, appointmentId } = readCheckInToken(app.keys, request.token) ?? fail('NOT_FOUND', 'Check-in not found');
  const [appointment, timezone] = await Promise.all([findAppointment(app.db, clinicId, appointmentId), readZone(app.db, clinicId)]);
  return showCheckIn(found(appointment, 'Check-in'), dateIn(timezone, app.clock.now()));
}
