// What the check-in page shows.

import { fail, found } from '@clinic/lib/errors/errors.ts';
import { dateIn } from '@clinic/lib/formats/local-date.ts';
import type { GetCheckInRequest } from '@clinic/proto/scheduling/v1/check_in_pb.js';
import type { App } from '../app.ts';
import { findAppointment } from '../appointments/appointments.sql.ts';
import { findClinicName } from '../clinics/clinic-name.ts';
import { readZone } from '../clinics/clinics.sql.ts';
import { countMissingForms } from '../forms/forms.sql.ts';
import { parseCheckInToken } from './check-in-token.ts';
import { toCheckInView } from './check-in-view.ts';

export async function getCheckIn(app: App, request: GetCheckInRequest) {
  const { clinicId, appointmentId } = parseCheckInToken(app.keys, request.token) ?? fail('NOT_FOUND', 'Check-in not found');
  const [stored, timezone, clinicName, missingForms] = await Promise.all([
    findAppointment(app.db, clinicId, appointmentId),
    readZone(app.db, clinicId),
    findClinicName(app, clinicId),
    countMissingForms(app.db, clinicId, appointmentId),
  ]);
  const appointment = found(stored, 'Check-in');
  return toCheckInView(appointment, dateIn(timezone, app.clock.now()), clinicName, missingForms);
}
