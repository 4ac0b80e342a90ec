// The event of every change of a clinic: the whole new state, read in the transaction of the change.
import type { TenantTx } from '@clinic/lib/db/db.ts';
import { found } from '@clinic/lib/errors/errors.ts';
import { emit } from '@clinic/lib/events/outbox.ts';
import { ClinicUpdatedSchema } from '@clinic/proto/events/v1/identity_pb.js';
import { featuresOf } from '../plans/plans-rules.ts';
import { findSettings, type SettingsRow } from './clinic-settings.sql.ts';
import { toTimestamp } from './clinics.sql.ts';

/** Tells of the change, and returns the clinic as it is now. */
export async function emitClinicUpdated(tx: TenantTx): Promise<SettingsRow> {
  const clinic = found(await findSettings(tx), 'Clinic');
  await emit(tx, tx.clinicId, ClinicUpdatedSchema, {
    plan: clinic.subscription_plan,
    subscriptionExpiresAt: toTimestamp(clinic.subscription_expires_at),
    isActive: clinic.is_active,
    timezone: clinic.timezone,
    revision: clinic.revision,
    country: clinic.country,
    currency: clinic.currency,
    clinicType: clinic.clinic_type,
    features: featuresOf(clinic.subscription_plan, clinic.switched_off),
  });
  return clinic;
}
