// Adds a patient. The phone is unique in the clinic.
import { audit } from '@clinic/lib/audit/audit.ts';
import { emit } from '@clinic/lib/events/outbox.ts';
import { idempotent } from '@clinic/lib/rpc/idempotency.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import { PatientCreatedSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import { type CreatePatientRequest, PatientService } from '@clinic/proto/scheduling/v1/patient_pb.js';
import { v7 } from 'uuid';
import type { App } from '../../app.ts';
import { readDui, readPatient } from '../read-patient.ts';
import { sealDui } from '../sealed-dui.ts';
import { insertPatient, toProto, toState } from '../sql/patients.sql.ts';

export async function createPatient(app: App, request: CreatePatientRequest, call: Call) {
  const clinic = clinicOf(call);
  const fields = readPatient(request, clinic.country);
  const dui = readDui(request.dui);
  return idempotent(app.db, call, PatientService.method.createPatient, request, async (tx) => {
    const id = v7();
    const patient = await insertPatient(tx, id, fields, dui && sealDui(app.keys, clinic.id, id, dui));
    await Promise.all([
      emit(tx, clinic.id, PatientCreatedSchema, { patientId: id, patient: toState(patient) }),
      audit(tx, clinic.id, call.caller, { action: 'patient.created', entityId: id }),
    ]);
    return toProto(patient, dui?.text ?? null);
  });
}
