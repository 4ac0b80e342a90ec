// Patients for other services, without the DUI, so that the audit log need not record the access.
import { found, invalid } from '@clinic/lib/errors/errors.ts';
import { toKeysetPage } from '@clinic/lib/formats/page.ts';
import { isUuid, parseUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { FindPatientByPhoneRequest, FindPatientRequest, FindPatientsRequest, ListPatientStatesRequest } from '@clinic/proto/scheduling/v1/lookup_pb.js';
import type { App } from '../../app.ts';
import { refuseMerged } from '../../patient-records/merged-record-rules.ts';
import { findByIds, findByPhone, pagePatientStates, toFound } from '../sql/lookup.sql.ts';
import { toState } from '../sql/patients.sql.ts';

const MAX_IDS = 500;
const MAX_STATES = 5_000;

export async function findPatient(app: App, { id, toChange, followMerge }: FindPatientRequest, call: Call) {
  const clinicId = clinicOf(call).id;
  const [record] = isUuid(id) ? await findByIds(app.db, clinicId, [id]) : [];
  if (record && toChange) refuseMerged(record); // other services must not add to a merged record
  const [patient] = record?.merged_into && followMerge ? await findByIds(app.db, clinicId, [record.merged_into]) : [record];
  const isHidden = patient?.merged_into || (toChange && patient?.erased_at);
  return toFound(found(isHidden ? undefined : patient, 'Patient'));
}

export async function findPatients(app: App, request: FindPatientsRequest, call: Call) {
  if (request.ids.length > MAX_IDS) invalid('ids', `must be at most ${MAX_IDS}`);
  const ids = request.ids.map((id, index) => parseUuid(`ids.${index}`, id));
  return { patients: (await findByIds(app.db, clinicOf(call).id, ids)).map(toFound) };
}

/** Identifies who writes to the clinic's chat number. */
export async function findPatientByPhone(app: App, { phone }: FindPatientByPhoneRequest, call: Call) {
  const { patient, dependants } = await findByPhone(app.db, clinicOf(call).id, phone);
  return { patient: patient && toFound(patient), dependants: dependants.map(toFound) };
}

/** Patients of all clinics, so that other services can rebuild their projections. */
export async function listPatientStates(app: App, request: ListPatientStatesRequest) {
  const patients = await pagePatientStates(app.db, toKeysetPage(request, MAX_STATES));
  return { patients: patients.map(toState), clinicIds: patients.map(({ clinic_id }) => clinic_id) };
}
