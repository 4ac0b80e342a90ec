// Pages through all clinics, so that another service can rebuild its projection of them.
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { toTimestamp } from '@clinic/lib/formats/timestamp.ts';
import type { ListClinicStatesRequest } from '@clinic/proto/identity/v1/states_pb.js';
import { NIL } from 'uuid';
import type { App } from '../app.ts';
import { listClinicsAfter } from './clinics.sql.ts';

const MAX_PAGE = 5_000;

export async function listClinicStates(app: Pick<App, 'db'>, { afterClinicId, limit }: ListClinicStatesRequest) {
  const clinics = await listClinicsAfter(app.db, afterClinicId || NIL, Math.min(Math.max(limit, 1), MAX_PAGE));
  return {
    clinics: clinics.map((clinic) => ({
      clinicId: clinic.clinic_id,
      plan: clinic.subscription_plan,
      subscriptionExpiresAt: toTimestamp(clinic.subscription_expires_at),
      isActive: clinic.is_active,
      timezone: clinic.timezone,
      registeredAt: timestampFromDate(clinic.created_at),
      revision: clinic.revision,
    })),
  };
}
