// Publishes ClinicUpdated with the complete new state, read in the transaction of the change.
import type { Tx } from '@clinic/lib/db/db.ts';
import { emit } from '@clinic/lib/events/outbox.ts';
import { toFields } from '@clinic/lib/formats/to-fields.ts';
import { ClinicUpdatedSchema } from '@clinic/proto/events/v1/identity_pb.js';
import { featuresOf } from '../plans/plans-rules.ts';
import { getSettingsIn, type SettingsRow } from './clinic-settings.sql.ts';

/** Returns the clinic as it is after the change. */
export async function publishClinicUpdated(tx: Tx, clinicId: string): Promise<SettingsRow> {
  const clinic = await getSettingsIn(tx, clinicId);
  await emit(tx, clinicId, ClinicUpdatedSchema, {
    ...toFields(clinic),
    plan: clinic.subscription_plan,
    features: featuresOf(clinic.subscription_plan, clinic.switched_off),
    cancellationText: clinic.cancellation_text ?? '',
  });
  return clinic;
}
