// A new clinic's zone. What was counted before it was heard of may be of another day.
import { subscribe } from '@clinic/lib/events/events.ts';
import { ClinicRegisteredSchema } from '@clinic/proto/events/v1/identity_pb.js';
import { upsertClinic } from '../../clinics/clinics.sql.ts';
import { countInZone } from '../update-figures.ts';

const FIRST_REVISION = 1;

export const onClinicRegisteredAnalytics = subscribe('analytics-of-clinics', 'identity', ClinicRegisteredSchema, async (tx, { timezone }, { clinicId }) => {
  await upsertClinic(tx, clinicId, timezone, FIRST_REVISION);
  await countInZone(tx, clinicId);
});
