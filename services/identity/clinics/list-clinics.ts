// All clinics, for the platform's operators.
import { readSystem } from '@clinic/lib/db/db.ts';
import type { ListClinicsRequest } from '@clinic/proto/identity/v1/clinic_pb.js';
import type { App } from '../app.ts';
import { listClinicsStatement, toProto } from './clinics.sql.ts';

export async function listClinics(app: App, _request: ListClinicsRequest) {
  return { clinics: (await readSystem(app.db, listClinicsStatement, [])).map(toProto) };
}
