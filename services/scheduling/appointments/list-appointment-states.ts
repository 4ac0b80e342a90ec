// Pages through the appointments of all clinics, so that other services can rebuild their projections of them.
import { toKeysetPage } from '@clinic/lib/formats/page.ts';
import type { ListAppointmentStatesRequest } from '@clinic/proto/scheduling/v1/lookup_pb.js';
import type { App } from '../app.ts';
import { pageAppointmentStates, toState } from './appointments.sql.ts';

const MAX_LIMIT = 5_000;

export async function listAppointmentStates(app: Pick<App, 'db'>, request: ListAppointmentStatesRequest) {
  const appointments = await pageAppointmentStates(app.db, toKeysetPage(request, MAX_LIMIT));
  return { appointments: appointments.map((one) => toState(one, '')), clinicIds: appointments.map(({ clinic_id }) => clinic_id) };
}
