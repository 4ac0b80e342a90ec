// Archives a patient, and restores an archived one. Idempotent.
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { ArchivePatientRequest, RestorePatientRequest } from '@clinic/proto/scheduling/v1/patient_family_pb.js';
import type { App } from '../../app.ts';
import { refuseMerged } from '../../patient-records/merged-record-rules.ts';
import { toWholeProto } from '../encrypted-dui.ts';
import { publishUpdated } from '../publish-patients.ts';
import { lockPatient, setArchivedAt } from '../sql/patients.sql.ts';

export async function archivePatient(app: App, request: ArchivePatientRequest, call: Call) {
  if (!isUuid(request.id)) fail('NOT_FOUND', 'Patient not found');
  return inTenant(app.db, clinicOf(call).id, async (tx) => {
    const before = found(await lockPatient(tx, request.id), 'Patient');
    if (!before.archived_at) {
      const now = app.clock.now();
      const patient = found(await setArchivedAt(tx, before.id, now, now), 'Patient');
      await Promise.all([publishUpdated(tx, tx.clinicId, patient), audit(tx, tx.clinicId, call.caller, { action: 'patient.archived', entityId: patient.id })]);
    }
    return { message: 'Patient archived' };
  });
}

/** A booking with the patient's phone restores the patient too. */
export async function restorePatient(app: App, request: RestorePatientRequest, call: Call) {
  if (!isUuid(request.id)) fail('NOT_FOUND', 'Patient not found');
  return inTenant(app.db, clinicOf(call).id, async (tx) => {
    const before = found(await lockPatient(tx, request.id), 'Patient');
    refuseMerged(before);
    const patient = before.archived_at ? found(await setArchivedAt(tx, before.id, null, app.clock.now()), 'Patient') : before;
    if (before.archived_at) {
      await Promise.all([publishUpdated(tx, tx.clinicId, patient), audit(tx, tx.clinicId, call.caller, { action: 'patient.restored', entityId: patient.id })]);
    }
    return toWholeProto(app.keys, tx, call.caller, patient);
  });
}
