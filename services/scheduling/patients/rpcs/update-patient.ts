// Changes a patient; absent fields stay, an empty text clears an optional one.
import { audit, maskChanges } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { emit } from '@clinic/lib/events/outbox.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import { PatientUpdatedSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import type { UpdatePatientRequest } from '@clinic/proto/scheduling/v1/patient_pb.js';
import type { App } from '../../app.ts';
import { readDetails, readDui, readPatient } from '../read-patient.ts';
import { openDui, sealDui } from '../sealed-dui.ts';
import { lockPatient, PERSONAL_FIELDS, setDui, toProto, toState, updatePatient as update } from '../sql/patients.sql.ts';

export async function updatePatient(app: App, request: UpdatePatientRequest, call: Call) {
  const clinic = clinicOf(call);
  if (!isUuid(request.id)) fail('NOT_FOUND', 'Patient not found');
  const dui = readDui(request.dui);
  return inTenant(app.db, clinic.id, async (tx) => {
    const before = found(await lockPatient(tx, request.id), 'Patient');
    if (before.merged_into) fail('CONFLICT', 'This record was merged into another patient');
    const details = {
      fullName: request.fullName ?? before.full_name,
      email: request.email ?? before.email ?? undefined,
      birthDate: request.birthDate ?? before.birth_date ?? undefined,
      gender: request.gender ?? before.gender ?? undefined,
      address: request.address ?? before.address ?? undefined,
      notes: request.notes ?? before.notes ?? undefined,
    };
    const phone = request.phone ?? before.phone;
    const fields = phone === null ? { ...readDetails(details), phone } : readPatient({ ...details, phone }, clinic.country);
    const now = app.clock.now();
    const [, updated] = await Promise.all([
      request.dui !== undefined && setDui(tx, before.id, dui && sealDui(app.keys, clinic.id, before.id, dui), now),
      update(tx, before.id, fields, now),
    ]);
    const after = found(updated, 'Patient');
    await Promise.all([
      emit(tx, clinic.id, PatientUpdatedSchema, { patientId: after.id, patient: toState(after) }),
      audit(tx, clinic.id, call.caller, { action: 'patient.updated', entityId: after.id, changes: maskChanges(before, after, PERSONAL_FIELDS) }),
    ]);
    return toProto(after, openDui(app.keys, after));
  });
}
