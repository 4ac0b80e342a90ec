// Pages through all clinics, so that a neighbour can rebuild what it made of events. As the system: over all clinics.
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { readSystem } from '@clinic/lib/db/db.ts';
import type { ListClinicStatesRequest } from '@clinic/proto/identity/v1/states_pb.js';
import type { App } from '../app.ts';
import { pageClinicStatesStatement } from './clinic-states.sql.ts';
import { toTimestamp } from './clinics.sql.ts';

const FIRST = '00000000-0000-0000-0000-000000000000';
const MOST = 5_000;

export async function listClinicStates(app: Pick<App, 'db'>, { afterClinicId, limit }: ListClinicStatesRequest) {
  const clinics = await readSystem(app.db, pageClinicStatesStatement, [afterClinicId || FIRST, Math.min(Math.max(limit, 1), MOST)]);
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
