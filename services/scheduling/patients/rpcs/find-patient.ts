// A patient for other services, without the DUI, so that the audit log need not record the access.
import { found } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { FindPatientRequest } from '@clinic/proto/scheduling/v1/lookup_pb.js';
import type { App } from '../../app.ts';
import { findByIds, toFound } from '../sql/lookup.sql.ts';

export async function findPatient(app: App, request: FindPatientRequest, call: Call) {
  const [patient] = isUuid(request.id) ? await findByIds(app.db, clinicOf(call).id, [request.id]) : [];
  return toFound(found(patient?.merged_into ? undefined : patient, 'Patient')); // other services must not add to a merged record
}
