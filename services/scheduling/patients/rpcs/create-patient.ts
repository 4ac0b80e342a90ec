// Adds patients.
import { audit } from '@clinic/lib/audit/audit.ts';
import type { TenantTx } from '@clinic/lib/db/db.ts';
import { fail, found, invalid } from '@clinic/lib/errors/errors.ts';
import { dateIn } from '@clinic/lib/formats/local-date.ts';
import { parsePhone } from '@clinic/lib/formats/phone.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { idempotent } from '@clinic/lib/rpc/idempotency.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import { type CreateDependantRequest, PatientFamilyService } from '@clinic/proto/scheduling/v1/patient_family_pb.js';
import { type CreatePatientRequest, PatientService } from '@clinic/proto/scheduling/v1/patient_pb.js';
import { v7 } from 'uuid';
import type { App } from '../../app.ts';
import { refuseMerged } from '../../patient-records/merged-record-rules.ts';
import { encryptDui } from '../encrypted-dui.ts';
import { parseDetails, parseOptionalDui } from '../parse-patient.ts';
import { namePhoneOwner } from '../phone-taken.ts';
import { publishCreated } from '../publish-patients.ts';
import { insertPatient, lockPatientKey, toProto } from '../sql/patients.sql.ts';

/** The phone is unique in the clinic. */
export async function createPatient(app: App, request: CreatePatientRequest, call: Call) {
  const clinic = clinicOf(call);
  const phone = parsePhone('phone', request.phone, clinic.country);
  const fields = { ...parseDetails(request, dateIn(clinic.timezone, app.clock.now())), phone };
  const dui = parseOptionalDui('dui', request.dui);
  const create = async (tx: TenantTx) => {
    const id = v7();
    const patient = await insertPatient(tx, id, fields, encryptDui(app.keys, clinic.id, id, dui));
    await Promise.all([publishCreated(tx, clinic.id, patient), audit(tx, clinic.id, call.caller, { action: 'patient.created', entityId: id })]);
    return toProto(patient, dui);
  };
  return namePhoneOwner(app, clinic.id, phone, () => idempotent(app.db, call, PatientService.method.createPatient, request, create));
}

/** Adds a patient without a phone, who is reached through a guardian. */
export async function createDependant(app: App, request: CreateDependantRequest, call: Call) {
  const clinic = clinicOf(call);
  if (!isUuid(request.id)) fail('NOT_FOUND', 'Patient not found');
  const fields = { ...parseDetails(request, dateIn(clinic.timezone, app.clock.now())), phone: null };
  const dui = parseOptionalDui('dui', request.dui);
  return idempotent(app.db, call, PatientFamilyService.method.createDependant, request, async (tx) => {
    const guardian = found(await lockPatientKey(tx, request.id), 'Patient');
    refuseMerged(guardian);
    if (!guardian.phone) invalid('id', 'must be a patient with a phone: a dependant has no dependants');
    const id = v7();
    const patient = await insertPatient(tx, id, fields, encryptDui(app.keys, clinic.id, id, dui), guardian.id);
    await Promise.all([
      publishCreated(tx, clinic.id, patient),
      audit(tx, clinic.id, call.caller, { action: 'patient.created', entityId: id, changes: { guardian_id: guardian.id } }),
    ]);
    return toProto(patient, dui);
  });
}
