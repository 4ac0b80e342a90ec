// Pages through the appointments of all clinics, so that a neighbour can rebuild what it made of events. As the system: over all clinics.
import { readSystem } from '@clinic/lib/db/db.ts';
import type { ListAppointmentStatesRequest } from '@clinic/proto/scheduling/v1/lookup_pb.js';
import type { App } from '../app.ts';
import { pageOf } from '../patients/rules/state-page.ts';
import { toState } from './appointments.sql.ts';
import { pageAppointmentStatesStatement } from './lookup.sql.ts';

export async function listAppointmentStates(app: Pick<App, 'db'>, request: ListAppointmentStatesRequest) {
  const appointments = await readSystem(app.db, pageAppointmentStatesStatement, pageOf(request));
  return { appointments: appointments.map((one) => toState(one, '')), clinicIds: appointments.map(({ clinic_id }) => clinic_id) };
}
