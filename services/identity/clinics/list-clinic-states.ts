// Pages through all clinics, so that another service can rebuild its projection of them.
import { toFields } from '@clinic/lib/formats/to-fields.ts';
import type { ListClinicStatesRequest } from '@clinic/proto/identity/v1/states_pb.js';
import { NIL } from 'uuid';
import type { App } from '../app.ts';
import { listClinicsAfter } from './clinics.sql.ts';

const MAX_PAGE = 5_000;

export async function listClinicStates(app: Pick<App, 'db'>, { afterClinicId, limit }: ListClinicStatesRequest) {
  const clinics = await listClinicsAfter(app.db, afterClinicId || NIL, Math.min(Math.max(limit, 1), MAX_PAGE));
  return { clinics: clinics.map(toFields) };
}
