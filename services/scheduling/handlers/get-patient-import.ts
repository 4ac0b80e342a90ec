// An import as it stands, with the first of its faults.
import { inTenant, isUuid } from '@clinic/lib/db.ts';
import { fail, found } from '@clinic/lib/errors.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetPatientImportRequest } from '@clinic/proto/scheduling/v1/patient_bulk_pb.js';
import type { App } from '../app.ts';
import { findImport, listFaults, toImport } from '../sql/patient-imports.ts';

const SHOWN_FAULTS = 100;

export async function getPatientImport(app: App, request: GetPatientImportRequest, call: Call) {
  if (!isUuid(request.id)) fail('NOT_FOUND', 'Import not found');
  return readImport(app, clinicOf(call).id, request.id);
}

/** One whose file is not whole yet is not there. */
export function readImport(app: App, clinicId: string, id: string) {
  return inTenant(app.db, clinicId, async (tx) => {
    const [job, faults] = await Promise.all([findImport(tx, id), listFaults(tx, id, 0, SHOWN_FAULTS)]);
    return toImport(found(job?.status === 'receiving' ? undefined : job, 'Import'), faults);
  });
}
