// The progress of an import, with its first errors.
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetPatientImportRequest } from '@clinic/proto/scheduling/v1/patient_bulk_pb.js';
import type { App } from '../app.ts';
import { findImport, listFaults, toImport } from './patient-imports.sql.ts';

const MAX_FAULTS = 100;

export async function getPatientImport(app: App, request: GetPatientImportRequest, call: Call) {
  if (!isUuid(request.id)) fail('NOT_FOUND', 'Import not found');
  return loadImport(app, clinicOf(call).id, request.id);
}

/** Throws NOT_FOUND while the file is being uploaded. */
export function loadImport(app: App, clinicId: string, id: string) {
  return inTenant(app.db, clinicId, async (tx) => {
    const [job, faults] = await Promise.all([findImport(tx, id), listFaults(tx, id, 0, MAX_FAULTS)]);
    return toImport(found(job?.status === 'receiving' ? undefined : job, 'Import'), faults);
  });
}
