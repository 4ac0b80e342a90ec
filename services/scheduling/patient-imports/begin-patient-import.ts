// Begins the import of a file. The audit log records it when the file is complete.
import { inTenant } from '@clinic/lib/db/db.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { BeginPatientImportRequest } from '@clinic/proto/scheduling/v1/patient_bulk_pb.js';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import { insertImport } from './patient-imports.sql.ts';

export async function beginPatientImport(app: App, request: BeginPatientImportRequest, call: Call) {
  const clinic = clinicOf(call);
  const id = v7();
  const begun = { id, dry_run: request.dryRun, country: clinic.country, created_by: call.caller.id };
  await inTenant(app.db, clinic.id, (tx) => insertImport(tx, begun, app.clock.now()));
  return { id };
}
