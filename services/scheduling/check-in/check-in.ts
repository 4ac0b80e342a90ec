// Check-in of a patient by the token of a check-in code.
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { emit } from '@clinic/lib/events/outbox.ts';
import { dateIn } from '@clinic/lib/formats/local-date.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import { AppointmentCheckedInSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import type { CheckInRequest, GetCheckInRequest } from '@clinic/proto/scheduling/v1/check_in_pb.js';
import type { App } from '../app.ts';
import { toState } from '../appointments/appointment-row.ts';
import { findAppointment, lockAppointment } from '../appointments/appointments.sql.ts';
import { setCheckedIn } from '../appointments/change-appointment.sql.ts';
import { findZone, findZoneIn } from '../clinics/clinics.sql.ts';
import { findPageClinic, findPageClinicToChange } from '../clinics/page-clinic.ts';
import { countMissingForms, findMissingForms } from '../forms/forms.sql.ts';
import { parseCheckInToken } from './check-in-token.ts';
import { checkInStatus, toCheckInView } from './check-in-view.ts';

const NOUN = 'Check-in';

/** What the check-in page shows. */
export async function getCheckIn(app: App, request: GetCheckInRequest) {
  const { clinicId, appointmentId } = parseCheckInToken(app.keys, request.token) ?? fail('NOT_FOUND', `${NOUN} not found`);
  const [stored, timezone, clinic, missingForms] = await Promise.all([
    findAppointment(app.db, clinicId, appointmentId),
    findZone(app.db, clinicId),
    findPageClinic(app, clinicId, NOUN),
    countMissingForms(app.db, clinicId, appointmentId),
  ]);
  const appointment = found(stored, NOUN);
  return toCheckInView(appointment, dateIn(timezone, app.clock.now()), clinic, missingForms);
}

/** Records that a patient has arrived. The lock of the appointment makes concurrent requests publish the event once. */
export async function checkIn(app: App, request: CheckInRequest, call: Call) {
  const { clinicId, appointmentId } = parseCheckInToken(app.keys, request.token) ?? fail('NOT_FOUND', `${NOUN} not found`);
  const clinic = await findPageClinicToChange(app, clinicId, NOUN);
  return inTenant(app.db, clinicId, async (tx) => {
    const now = app.clock.now();
    const [locked, timezone] = await Promise.all([lockAppointment(tx, appointmentId), findZoneIn(tx, clinicId)]);
    const appointment = found(locked, NOUN);
    const date = dateIn(timezone, now);
    const status = checkInStatus(appointment, date);
    const { length: missingForms } = await findMissingForms(tx, appointment.id);
    if (status === 'done') return toCheckInView(appointment, date, clinic, missingForms);
    if (status !== 'ready') fail('CHECK_IN_CLOSED');
    const after = await setCheckedIn(tx, appointment.id, now);
    await Promise.all([
      emit(tx, clinicId, AppointmentCheckedInSchema, { appointment: toState(after, timezone), checkedInAt: timestampFromDate(now) }),
      audit(tx, clinicId, call.caller, { action: 'appointment.checked_in', entityId: appointment.id }),
    ]);
    return toCheckInView({ ...appointment, ...after }, date, clinic, missingForms);
  });
}
