// How far an import is, and what stood in its way so far.

import { fail } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetPatientImportRequest } from '@clinic/proto/scheduling/v1/patient_bulk_pb.js';
import type { App } from '../app.ts';
import { readImport } from './read-import.ts';

export async function getPatientImport(app: App, request: GetPatientImportRequest, call: Call) {
  if (!isUuid(request.id)) fail('NOT_FOUND', 'Import not found');
  return readImport(app, clinicOf(call).id, request.id);
}
