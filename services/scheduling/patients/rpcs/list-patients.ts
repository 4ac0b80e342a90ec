// Patients in lists, with the DUI masked, and one patient.
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { parsePage } from '@clinic/lib/formats/page.ts';
import { parseOptionalText } from '@clinic/lib/formats/text.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { ListDependantsRequest } from '@clinic/proto/scheduling/v1/patient_family_pb.js';
import type { GetPatientRequest, ListPatientsRequest } from '@clinic/proto/scheduling/v1/patient_pb.js';
import type { App } from '../../app.ts';
import { duiIndexes, toMaskedProto, toWholeProto } from '../encrypted-dui.ts';
import { parsePatientSearch } from '../patient-search-rules.ts';
import { searchPatients } from '../sql/patient-search.sql.ts';
import { findPatient, listDependants as list } from '../sql/patients.sql.ts';

/** Active or archived patients by name, found by name, phone or exact DUI. Records of online requests whose phone is not proven are neither. */
export async function listPatients(app: App, request: ListPatientsRequest, call: Call) {
  const { id } = clinicOf(call);
  const { page, limit, offset } = parsePage(request, 50, 500);
  const search = parsePatientSearch(parseOptionalText('search', request.search, 200) ?? request.search);
  const indexes = search.kind === 'dui' ? duiIndexes(app.keys, id, search.dui) : [];
  const { rows, total } = await searchPatients(app.db, id, search, indexes, { archived: request.archived, limit, offset });
  return { patients: rows.map((patient) => toMaskedProto(app.keys, patient)), total, page, limit };
}

export async function listDependants(app: App, request: ListDependantsRequest, call: Call) {
  const { id: clinicId } = clinicOf(call);
  if (!isUuid(request.id)) fail('NOT_FOUND', 'Patient not found');
  const page = parsePage(request, 50, 500);
  const patient = found(await inTenant(app.db, clinicId, (tx) => findPatient(tx, request.id)), 'Patient');
  const { rows, total } = await list(app.db, clinicId, patient.merged_into ?? patient.id, page);
  return { dependants: rows.map((patient) => toMaskedProto(app.keys, patient)), total, page: page.page, limit: page.limit };
}

/** The whole DUI. The audit log records each read of a DUI. */
export async function getPatient(app: App, request: GetPatientRequest, call: Call) {
  if (!isUuid(request.id)) fail('NOT_FOUND', 'Patient not found');
  return inTenant(app.db, clinicOf(call).id, async (tx) => toWholeProto(app.keys, tx, call.caller, found(await findPatient(tx, request.id), 'Patient')));
}
