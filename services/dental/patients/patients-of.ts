// Names and phones of the patients in a list, which belong to scheduling.
import { callAs } from '@clinic/lib/rpc/context.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { FoundPatient } from '@clinic/proto/scheduling/v1/lookup_pb.js';
import type { App } from '../app.ts';

/** By id; whoever is gone is left out. */
export async function findPatients(app: App, call: Call, ids: readonly string[]): Promise<Map<string, FoundPatient>> {
  const wanted = [...new Set(ids)];
  if (wanted.length === 0) return new Map();
  const { patients } = await app.lookup.findPatients({ ids: wanted }, callAs(call.caller));
  return new Map(patients.map((patient) => [patient.id, patient]));
}
