// A patient as other services may know one: no national id, so nothing for the audit log.
import { readTenant } from '@clinic/lib/db/db.ts';
import { found } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { FindPatientRequest } from '@clinic/proto/scheduling/v1/lookup_pb.js';
import type { App } from '../../app.ts';
import { lookUpPatientsStatement, toFound } from '../sql/lookup.sql.ts';

export async function findPatient(app: App, request: FindPatientRequest, call: Call) {
  const { id } = clinicOf(call);
  const [row] = isUuid(request.id) ? await readTenant(app.db, id, lookUpPatientsStatement, [id, [request.id]]) : [];
  return toFound(found(row?.merged_into ? undefined : row, 'Patient')); // nothing new is written to a record that was merged
}
