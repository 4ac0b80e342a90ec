// Stores the plan, expiry, status and features of clinics, which decide whether recall runs for them.
import { subscribe } from '@clinic/lib/events/events.ts';
import { ClinicRegisteredSchema, ClinicUpdatedSchema } from '@clinic/proto/events/v1/identity_pb.js';
import { upsertRecallClinic } from '../sql/recall-clinics.sql.ts';

/** A registration is revision 1; revisions of ClinicUpdated begin with 2. */
const FIRST_REVISION = 1;

export const onClinicRegistered = subscribe('recall-clinic-registered', 'identity', ClinicRegisteredSchema, (tx, event, { clinicId }) =>
  // A clinic whose plan does not include dental cannot create campaigns.
  upsertRecallClinic(tx, clinicId, { ...event, isActive: true, revision: FIRST_REVISION }, true),
);

export const onClinicUpdated = subscribe('recall-clinic-updated', 'identity', ClinicUpdatedSchema, (tx, event, { clinicId }) => {
  // `features` contains only what the plan includes.
  const dental = event.clinicType === 'dental' && event.features.includes('dental');
  return upsertRecallClinic(tx, clinicId, event, dental);
});
