// One patient with the whole DUI. The audit log records each read of a DUI.
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetPatientRequest } from '@clinic/proto/scheduling/v1/patient_pb.js';
import type { App } from '../../app.ts';
import { toWholeProto } from '../encrypted-dui.ts';
import { findPatient } from '../sql/patients.sql.ts';

export async function getPatient(app: App, request: GetPatientRequest, call: Call) {
  const clinic = clinicOf(call);
  if (!isUuid(request.id)) fail('NOT_FOUND', 'Patient not found');
  return inTenant(app.db, clinic.id, async (tx) => toWholeProto(app.keys, tx, call.caller, found(await findPatient(tx, request.id), 'Patient')));
}
