// The dependants of a patient, with the DUI masked.
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { parsePage } from '@clinic/lib/formats/page.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { ListDependantsRequest } from '@clinic/proto/scheduling/v1/patient_family_pb.js';
import type { App } from '../../app.ts';
import { toMaskedProto } from '../encrypted-dui.ts';
import { findPatient, listDependants as list } from '../sql/patients.sql.ts';

export async function listDependants(app: App, request: ListDependantsRequest, call: Call) {
  const { id: clinicId } = clinicOf(call);
  if (!isUuid(request.id)) fail('NOT_FOUND', 'Patient not found');
  const page = parsePage(request, 50, 500);
  found(await inTenant(app.db, clinicId, (tx) => findPatient(tx, request.id)), 'Patient');
  const { rows, total } = await list(app.db, clinicId, request.id, page);
  return { dependants: rows.map((patient) => toMaskedProto(app.keys, patient)), total, page: page.page, limit: page.limit };
}
