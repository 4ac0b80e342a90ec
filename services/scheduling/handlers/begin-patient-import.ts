// A file with patients is about to come. The whole import is one line of the audit log.
import { audit } from '@clinic/lib/audit.ts';
import { inTenant } from '@clinic/lib/db.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { BeginPatientImportRequest } from '@clinic/proto/scheduling/v1/patient_bulk_pb.js';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import { insertImport } from '../sql/patient-imports.ts';

export async function beginPatientImport(app: App, request: BeginPatientImportRequest, call: Call) {
  const clinic = clinicOf(call);
  const id = v7();
  await inTenant(app.db, clinic.id, (tx) =>
    Promise.all([
      insertImport(tx, { id, dry_run: request.dryRun, country: clinic.country, created_by: call.caller.id }, app.clock.now()),
      audit(tx, clinic.id, call.caller, { action: 'import', entity: 'patient_import', entityId: id, changes: { dry_run: request.dryRun } }),
    ]),
  );
  return { id };
}
