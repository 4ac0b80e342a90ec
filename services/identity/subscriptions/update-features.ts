// Switches features off, and on again when the plan includes them. The next request of the clinic sees it.
import { audit, masked } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, found, invalid } from '@clinic/lib/errors/errors.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { UpdateFeaturesRequest } from '@clinic/proto/identity/v1/entitlement_pb.js';
import type { App } from '../app.ts';
import { lockSettings, revise } from '../clinics/clinic-settings.sql.ts';
import { emitClinicUpdated } from '../clinics/clinic-updated.ts';
import { beyondPlan, FEATURES } from '../plans/plans-rules.ts';
import { featureFlags, showFeatures } from '../plans/show-features.ts';
import { putToggles } from './feature-toggles.sql.ts';

export async function updateFeatures(app: App, { features }: UpdateFeaturesRequest, call: Call) {
  const { id } = clinicOf(call);
  const unknown = Object.keys(features).find((name) => !(FEATURES as readonly string[]).includes(name));
  if (unknown !== undefined) invalid('features', `must be among ${FEATURES.join(', ')}`);
  return inTenant(app.db, id, async (tx) => {
    // Under the lock of the clinic's row, so that no change of the plan comes between.
    const before = found(await lockSettings(tx), 'Clinic');
    const beyond = beyondPlan(before.subscription_plan, features);
    if (beyond.length > 0) fail('PLAN_UPGRADE_REQUIRED', `The plan of the clinic does not include ${beyond.join(', ')}: upgrade it`);
    const shown = featureFlags(before.subscription_plan, before.switched_off);
    const changes = masked(shown, { ...shown, ...features }, []);
    if (Object.keys(changes).length === 0) return showFeatures(before);
    await putToggles(tx, features);
    await revise(tx, app.clock.now());
    await audit(tx, id, call.caller, { action: 'clinic.features_updated', entityId: id, changes });
    return showFeatures(await emitClinicUpdated(tx));
  });
}
