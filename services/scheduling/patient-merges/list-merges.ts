// Merges of the last 30 days.
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { ListMergesRequest } from '@clinic/proto/scheduling/v1/patient_family_pb.js';
import type { App } from '../app.ts';
import { listMerges as list, toMerge } from './patient-merges.sql.ts';

export async function listMerges(app: App, _request: ListMergesRequest, call: Call) {
  return { merges: (await list(app.db, clinicOf(call).id, app.clock.now())).map(toMerge) };
}
