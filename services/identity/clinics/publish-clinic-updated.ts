// Publishes ClinicUpdated with the complete new state, read in the transaction of the change.
import type { Tx } from '@clinic/lib/db/db.ts';
import { emit } from '@clinic/lib/events/outbox.ts';
import { toTimestamp } from '@clinic/lib/formats/timestamp.ts';
import { ClinicUpdatedSchema } from '@clinic/proto/events/v1/identity_pb.js';
import { featuresOf } from '../plans/plans-rules.ts';
import { getSettingsIn, type SettingsRow } from './clinic-settings.sql.ts';

/** Returns the clinic as it is after the change. */
export async function publishClinicUpdated(tx: Tx, clinicId: string): Promise<SettingsRow> {
  const clinic = await getSettingsIn(tx, clinicId);
  await emit(tx, clinicId, ClinicUpdatedSchema, {
    plan: clinic.subscription_plan,
    subscriptionExpiresAt: toTimestamp(clinic.subscription_expires_at),
    isActive: clinic.is_active,
    timezone: clinic.timezone,
    revision: clinic.revision,
    country: clinic.country,
    currency: clinic.currency,
    clinicType: clinic.clinic_type,
    features: featuresOf(clinic.subscription_plan, clinic.switched_off),
    cancellationNoticeHours: clinic.cancellation_notice_hours,
    cancellationText: clinic.cancellation_text ?? '',
    bookingNoShowLimit: clinic.booking_no_show_limit,
  });
  return clinic;
}
