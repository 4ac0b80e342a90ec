// Changes a patient: absent fields stay as they are, an empty text clears an optional one.
import { audit, maskChanges } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { parsePhone } from '@clinic/lib/formats/phone.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { UpdatePatientRequest } from '@clinic/proto/scheduling/v1/patient_pb.js';
import type { App } from '../../app.ts';
import { decryptDui, encryptDui } from '../encrypted-dui.ts';
import { parseDetails, parseOptionalDui } from '../parse-patient.ts';
import { publishUpdated } from '../publish-patients.ts';
import { lockPatient, PERSONAL_FIELDS, setDui, toProto, updatePatient as update } from '../sql/patients.sql.ts';

export async function updatePatient(app: App, request: UpdatePatientRequest, call: Call) {
  const clinic = clinicOf(call);
  if (!isUuid(request.id)) fail('NOT_FOUND', 'Patient not found');
  const dui = parseOptionalDui('dui', request.dui);
  return inTenant(app.db, clinic.id, async (tx) => {
    const before = found(await lockPatient(tx, request.id), 'Patient');
    if (before.merged_into) fail('CONFLICT', 'This record was merged into another patient');
    // Stored values are not parsed again: earlier releases accepted a few that are refused now.
    const parsed = parseDetails({ ...request, fullName: request.fullName ?? before.full_name });
    const fields = {
      full_name: parsed.full_name,
      search_name: parsed.search_name,
      phone: request.phone === undefined ? before.phone : parsePhone('phone', request.phone, clinic.country),
      email: request.email === undefined ? before.email : parsed.email,
      birth_date: request.birthDate === undefined ? before.birth_date : parsed.birth_date,
      gender: request.gender === undefined ? before.gender : parsed.gender,
      address: request.address === undefined ? before.address : parsed.address,
      notes: request.notes === undefined ? before.notes : parsed.notes,
    };
    const now = app.clock.now();
    const [, updated] = await Promise.all([
      request.dui !== undefined && setDui(tx, before.id, encryptDui(app.keys, clinic.id, before.id, dui), now),
      update(tx, before.id, fields, now),
    ]);
    const after = found(updated, 'Patient');
    await Promise.all([
      publishUpdated(tx, clinic.id, after),
      audit(tx, clinic.id, call.caller, { action: 'patient.updated', entityId: after.id, changes: maskChanges(before, after, PERSONAL_FIELDS) }),
    ]);
    return toProto(after, decryptDui(app.keys, after));
  });
}
