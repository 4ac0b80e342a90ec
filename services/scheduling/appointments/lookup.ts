// Appointments for other services.
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { found } from '@clinic/lib/errors/errors.ts';
import { toKeysetPage } from '@clinic/lib/formats/page.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { FindAppointmentRequest, ListAppointmentStatesRequest, ListUpcomingAppointmentsRequest } from '@clinic/proto/scheduling/v1/lookup_pb.js';
import type { App } from '../app.ts';
import { countMissingForms } from '../forms/forms.sql.ts';
import { toProto, toState } from './appointment-row.ts';
import { findAppointment as find, findContact, pageAppointmentStates } from './appointments.sql.ts';
import { listUpcoming } from './list-appointments.sql.ts';

const MAX_UPCOMING = 20;
const MAX_STATES = 5_000;

/** The response has no names. */
export async function findAppointment(app: App, request: FindAppointmentRequest, call: Call) {
  const { id: clinicId } = clinicOf(call);
  const [stored, missingForms, contact] = await Promise.all([
    find(app.db, clinicId, request.id),
    countMissingForms(app.db, clinicId, request.id),
    findContact(app.db, clinicId, request.id),
  ]);
  const { id, patient_id, status, starts_at, revision, updated_at } = found(stored, 'Appointment');
  return {
    id,
    patientId: patient_id,
    status,
    startsAt: timestampFromDate(starts_at),
    revision,
    changedAt: timestampFromDate(updated_at),
    missingForms,
    ...contact,
  };
}

/** The bot shows these appointments of a phone, and changes no others. */
export async function listUpcomingAppointments(app: App, { phone }: ListUpcomingAppointmentsRequest, call: Call) {
  return { appointments: (await listUpcoming(app.db, clinicOf(call).id, phone, app.clock.now(), MAX_UPCOMING)).map(toProto) };
}

/** Appointments of all clinics, so that other services can rebuild their projections. */
export async function listAppointmentStates(app: Pick<App, 'db'>, request: ListAppointmentStatesRequest) {
  const appointments = await pageAppointmentStates(app.db, toKeysetPage(request, MAX_STATES));
  return { appointments: appointments.map((one) => toState(one, '')), clinicIds: appointments.map(({ clinic_id }) => clinic_id) };
}
