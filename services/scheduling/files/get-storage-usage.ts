// How much of the quota the clinic's files use.
import { inTenant } from '@clinic/lib/db/db.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetStorageUsageRequest } from '@clinic/proto/scheduling/v1/patient_file_pb.js';
import type { App } from '../app.ts';
import { sumSizes } from './uploads.sql.ts';

export async function getStorageUsage(app: App, _request: GetStorageUsageRequest, call: Call) {
  return { bytes: await inTenant(app.db, clinicOf(call).id, sumSizes) };
}
