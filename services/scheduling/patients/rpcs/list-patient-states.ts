// Pages through the patients of all clinics, so that a neighbour can rebuild what it made of events. As the system: over all clinics.
import { readSystem } from '@clinic/lib/db/db.ts';
import type { ListPatientStatesRequest } from '@clinic/proto/scheduling/v1/lookup_pb.js';
import type { App } from '../../app.ts';
import { pageOf } from '../rules/state-page.ts';
import { pagePatientStatesStatement } from '../sql/lookup.sql.ts';
import { toState } from '../sql/patients.sql.ts';

export async function listPatientStates(app: App, request: ListPatientStatesRequest) {
  const patients = await readSystem(app.db, pagePatientStatesStatement, pageOf(request));
  return { patients: patients.map(toState), clinicIds: patients.map(({ clinic_id }) => clinic_id) };
}
