// Each feature with whether it is on, and whether the plan includes it.
import { readTenant } from '@clinic/lib/db/db.ts';
import { found } from '@clinic/lib/errors/errors.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetFeaturesRequest } from '@clinic/proto/identity/v1/entitlement_pb.js';
import type { App } from '../app.ts';
import { findSettingsStatement } from '../clinics/clinic-settings.sql.ts';
import { showFeatures } from '../plans/show-features.ts';

export async function getFeatures(app: App, _request: GetFeaturesRequest, call: Call) {
  const { id } = clinicOf(call);
  const [clinic] = await readTenant(app.db, id, findSettingsStatement, [id]);
  return showFeatures(found(clinic, 'Clinic'));
}
