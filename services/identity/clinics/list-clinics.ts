// All clinics, for operators.
import type { ListClinicsRequest } from '@clinic/proto/identity/v1/clinic_pb.js';
import type { App } from '../app.ts';
import { listAllClinics, toProto } from './clinics.sql.ts';

export async function listClinics(app: App, _request: ListClinicsRequest) {
  return { clinics: (await listAllClinics(app.db)).map(toProto) };
}
