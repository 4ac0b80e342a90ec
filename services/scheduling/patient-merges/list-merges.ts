// Merges that can still be undone.
import { readTenant } from '@clinic/lib/db/db.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { ListMergesRequest } from '@clinic/proto/scheduling/v1/patient_family_pb.js';
import type { App } from '../app.ts';
import { firstListed, listMergesStatement, toMerge } from './patient-merges.sql.ts';

export async function listMerges(app: App, _request: ListMergesRequest, call: Call) {
  const { id } = clinicOf(call);
  return { merges: (await readTenant(app.db, id, listMergesStatement, [id, firstListed(app.clock.now())])).map(toMerge) };
}
