// Appointments for other services.
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { found } from '@clinic/lib/errors/errors.ts';
import { toKeysetPage } from '@clinic/lib/formats/page.ts';
import { toFields } from '@clinic/lib/formats/to-fields.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type {
  FindAppointmentRequest,
  FindAppointmentWithContactRequest,
  ListAppointmentStatesRequest,
  ListUpcomingAppointmentsRequest,
} from '@clinic/proto/scheduling/v1/lookup_pb.js';
import type { App } from '../app.ts';
import { toProto, toState } from './appointment-row.ts';
import { findWithContact, pageAppointmentStates } from './appointments.sql.ts';
import { listUpcoming } from './list-appointments.sql.ts';

const MAX_UPCOMING = 20;
const MAX_STATES = 5_000;

/** The response has no names. */
export async function findAppointment(app: App, request: FindAppointmentRequest, call: Call) {
  const { updated_at, ...appointment } = await readWithContact(app, request, call);
  const { reachable_phone, missing_forms } = appointment;
  return { ...toFields(appointment), changedAt: timestampFromDate(updated_at), missingForms: missing_forms.length, withoutPhone: reachable_phone === null };
}

export async function findAppointmentWithContact(app: App, request: FindAppointmentWithContactRequest, call: Call) {
  const appointment = await readWithContact(app, request, call);
  return { ...toFields(appointment), missingForms: appointment.missing_forms.length };
}

const readWithContact = async (app: App, { id }: { id: string }, call: Call) => found(await findWithContact(app.db, clinicOf(call).id, id), 'Appointment');

/** The bot shows these appointments of a phone, and changes no others. */
export async function listUpcomingAppointments(app: App, { phone }: ListUpcomingAppointmentsRequest, call: Call) {
  return { appointments: (await listUpcoming(app.db, clinicOf(call).id, phone, app.clock.now(), MAX_UPCOMING)).map(toProto) };
}

/** Appointments of all clinics, so that other services can rebuild their projections. */
export async function listAppointmentStates(app: Pick<App, 'db'>, request: ListAppointmentStatesRequest) {
  const appointments = await pageAppointmentStates(app.db, toKeysetPage(request, MAX_STATES));
  return { appointments: appointments.map((one) => toState(one, '')), clinicIds: appointments.map(({ clinic_id }) => clinic_id) };
}
