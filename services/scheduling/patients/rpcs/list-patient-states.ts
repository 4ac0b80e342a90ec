// Pages through the patients of all clinics, so that other services can rebuild their projections of them.
import { toKeysetPage } from '@clinic/lib/formats/page.ts';
import type { ListPatientStatesRequest } from '@clinic/proto/scheduling/v1/lookup_pb.js';
import type { App } from '../../app.ts';
import { pagePatientStates } from '../sql/lookup.sql.ts';
import { toState } from '../sql/patients.sql.ts';

const MAX_LIMIT = 5_000;

export async function listPatientStates(app: App, request: ListPatientStatesRequest) {
  const patients = await pagePatientStates(app.db, toKeysetPage(request, MAX_LIMIT));
  return { patients: patients.map(toState), clinicIds: patients.map(({ clinic_id }) => clinic_id) };
}
