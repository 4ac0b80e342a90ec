// Patients, which scheduling owns.
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { FoundPatient } from '@clinic/proto/scheduling/v1/lookup_pb.js';
import type { CallOptions } from '@connectrpc/connect';
import type { App } from '../app.ts';

/** The id of a merged record means the remaining patient. Throws NOT_FOUND with `Patient not found` unless the caller's clinic has the patient. */
export const getPatient = (app: App, call: Call, id: string) => find(app, call, id, false);

/** The same before a write, for which a merged record is a CONFLICT, and a patient whose data was erased is not found either. */
export const getPatientToChange = (app: App, call: Call, id: string) => find(app, call, id, true);

async function find(app: App, call: Call, id: string, toChange: boolean): Promise<FoundPatient> {
  if (!isUuid(id)) fail('NOT_FOUND', 'Patient not found');
  return app.lookup.findPatient({ id, toChange, followMerge: !toChange }, callAs(call.caller));
}

/** The patient to whom a stored record belongs, whose own record may have been merged into another one since. */
export async function getPatientOfRecord(app: App, options: CallOptions, id: string): Promise<FoundPatient> {
  const { patients } = await app.lookup.findPatients({ ids: [id] }, options);
  return found(patients[0], 'Patient');
}

/** Patients by id. Those that the caller's clinic does not have are missing. */
export async function findPatients(app: App, call: Call, ids: readonly string[]): Promise<Map<string, FoundPatient>> {
  if (ids.length === 0) return new Map();
  const { patients } = await app.lookup.findPatients({ ids: [...new Set(ids)] }, callAs(call.caller));
  return new Map(patients.map((patient) => [patient.id, patient]));
}
