// What the check-in page shows.

import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { dateIn } from '@clinic/lib/formats/local-date.ts';
import type { GetCheckInRequest } from '@clinic/proto/scheduling/v1/check_in_pb.js';
import type { App } from '../app.ts';
import { findAppointment } from '../appointments/appointments.sql.ts';
import { findClinicName } from '../clinics/clinic-name.ts';
import { readZone } from '../clinics/clinics.sql.ts';
import { findMissingForms } from '../forms/forms.sql.ts';
import { parseCheckInToken } from './check-in-token.ts';
import { toCheckInView } from './check-in-view.ts';

export async function getCheckIn(app: App, request: GetCheckInRequest) {
  const { clinicId, appointmentId } = parseCheckInToken(app.keys, request.token) ?? fail('NOT_FOUND', 'Check-in not found');
  const [stored, timezone, clinicName] = await Promise.all([
    findAppointment(app.db, clinicId, appointmentId),
    readZone(app.db, clinicId),
    findClinicName(app, clinicId),
  ]);
  const appointment = found(stored, 'Check-in');
  const missing = await inTenant(app.db, clinicId, (tx) => findMissingForms(tx, appointment.patient_id));
  return toCheckInView(appointment, dateIn(timezone, app.clock.now()), clinicName, missing.length);
}
