// A clinic may have moved to another zone, and its money with it to other days.
import { subscribe } from '@clinic/lib/events/events.ts';
import { ClinicUpdatedSchema } from '@clinic/proto/events/v1/identity_pb.js';
import { upsertClinic } from '../../clinics/clinics.sql.ts';
import { countInZone } from '../update-figures.ts';

export const onClinicUpdatedAnalytics = subscribe('analytics-of-zones', 'identity', ClinicUpdatedSchema, async (tx, { timezone, revision }, { clinicId }) => {
  await upsertClinic(tx, clinicId, timezone, revision);
  await countInZone(tx, clinicId);
});
