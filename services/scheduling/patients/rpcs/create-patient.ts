// Adds a patient. The phone is unique in the clinic.
import { audit } from '@clinic/lib/audit/audit.ts';
import type { TenantTx } from '@clinic/lib/db/db.ts';
import { dateIn } from '@clinic/lib/formats/local-date.ts';
import { parsePhone } from '@clinic/lib/formats/phone.ts';
import { idempotent } from '@clinic/lib/rpc/idempotency.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import { type CreatePatientRequest, PatientService } from '@clinic/proto/scheduling/v1/patient_pb.js';
import { v7 } from 'uuid';
import type { App } from '../../app.ts';
import { encryptDui } from '../encrypted-dui.ts';
import { parseDetails, parseOptionalDui } from '../parse-patient.ts';
import { namePhoneOwner } from '../phone-taken.ts';
import { publishCreated } from '../publish-patients.ts';
import { insertPatient, toProto } from '../sql/patients.sql.ts';

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
