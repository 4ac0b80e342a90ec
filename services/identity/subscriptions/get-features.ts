// Each feature: whether it is on, and whether the plan includes it.
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetFeaturesRequest } from '@clinic/proto/identity/v1/entitlement_pb.js';
import type { App } from '../app.ts';
import { getSettings } from '../clinics/clinic-settings.sql.ts';
import { toFeatures } from '../plans/plans-rules.ts';

export async function getFeatures(app: App, _request: GetFeaturesRequest, call: Call) {
  const { id } = clinicOf(call);
  return toFeatures(await getSettings(app.db, id));
}
