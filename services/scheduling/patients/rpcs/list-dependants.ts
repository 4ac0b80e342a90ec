// The dependants of a patient, with the DUI masked.
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { ListDependantsRequest } from '@clinic/proto/scheduling/v1/patient_family_pb.js';
import type { App } from '../../app.ts';
import { toMaskedProto } from '../encrypted-dui.ts';
import { findPatient, listDependants as list } from '../sql/patients.sql.ts';

export async function listDependants(app: App, request: ListDependantsRequest, call: Call) {
  if (!isUuid(request.id)) fail('NOT_FOUND', 'Patient not found');
  return inTenant(app.db, clinicOf(call).id, async (tx) => {
    const [guardian, dependants] = await Promise.all([findPatient(tx, request.id), list(tx, request.id)]);
    found(guardian, 'Patient');
    return { dependants: dependants.map((patient) => toMaskedProto(app.keys, patient)) };
  });
}
