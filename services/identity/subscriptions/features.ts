// Features and guards of a clinic. A change applies to its next request.
import { audit, maskChanges } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, invalid } from '@clinic/lib/errors/errors.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetFeaturesRequest, UpdateFeaturesRequest } from '@clinic/proto/identity/v1/entitlement_pb.js';
import type { App } from '../app.ts';
import { getSettings, incrementRevision, lockSettings } from '../clinics/clinic-settings.sql.ts';
import { publishClinicUpdated } from '../clinics/publish-clinic-updated.ts';
import { beyondPlan, FEATURES, featureFlags, GUARDS, guardFlags, toFeatures, toPermissions } from '../plans/plans-rules.ts';
import { putToggles } from './feature-toggles.sql.ts';

export const getFeatures = async (app: App, _request: GetFeaturesRequest, call: Call) => toFeatures(await getSettings(app.db, clinicOf(call).id));

/** Switches features off, and on again if the plan includes them, and guards on or off. */
export async function updateFeatures(app: App, { features, guards }: UpdateFeaturesRequest, call: Call) {
  const { id } = clinicOf(call);
  requireKnown('features', features, FEATURES);
  requireKnown('guards', guards, GUARDS);
  if (Object.keys({ ...features, ...guards }).length === 0)
    invalid('body', `must contain at least one of ${FEATURES.join(', ')} in features, or of ${GUARDS.join(', ')} in guards`);
  return inTenant(app.db, id, async (tx) => {
    // The lock ensures that the plan does not change at the same time.
    const before = await lockSettings(tx);
    const beyond = beyondPlan(before.subscription_plan, features);
    if (beyond.length > 0) fail('PLAN_UPGRADE_REQUIRED', `The plan of the clinic does not include ${beyond.join(', ')}: upgrade it`);
    if (features.dental && before.clinic_type !== 'dental') fail('DENTAL_CLINIC_REQUIRED', 'dental can be switched on only for a dental clinic');
    const shown = { ...featureFlags(before), ...guardFlags(before.switched_off) };
    const changes = maskChanges(shown, { ...shown, ...features, ...guards }, []);
    if (Object.keys(changes).length === 0) return toFeatures(before);
    // A value that is sent back as it was shown is no choice: a later plan may include the feature.
    const changed = (wanted: Record<string, boolean>) => Object.fromEntries(Object.entries(wanted).filter(([name]) => name in changes));
    await putToggles(tx, { ...changed(features), ...toPermissions(changed(guards)) });
    await incrementRevision(tx, app.clock.now());
    await audit(tx, id, call.caller, { action: 'clinic.features_updated', entityId: id, changes });
    return toFeatures(await publishClinicUpdated(tx, id));
  });
}

function requireKnown(path: string, wanted: Record<string, boolean>, known: readonly string[]): void {
  if (Object.keys(wanted).some((name) => !known.includes(name))) invalid(path, `must contain only ${known.join(', ')}`);
}
