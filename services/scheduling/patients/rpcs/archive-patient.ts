// Archives a patient. Idempotent.
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { ArchivePatientRequest } from '@clinic/proto/scheduling/v1/patient_family_pb.js';
import type { App } from '../../app.ts';
import { publishUpdated } from '../publish-patients.ts';
import { lockPatient, setArchivedAt } from '../sql/patients.sql.ts';

export async function archivePatient(app: App, request: ArchivePatientRequest, call: Call) {
  const { id: clinicId } = clinicOf(call);
  if (!isUuid(request.id)) fail('NOT_FOUND', 'Patient not found');
  return inTenant(app.db, clinicId, async (tx) => {
    const before = found(await lockPatient(tx, request.id), 'Patient');
    if (!before.archived_at) {
      const now = app.clock.now();
      const patient = found(await setArchivedAt(tx, before.id, now, now), 'Patient');
      await Promise.all([publishUpdated(tx, clinicId, patient), audit(tx, clinicId, call.caller, { action: 'patient.archived', entityId: patient.id })]);
    }
    return { message: 'Patient archived' };
  });
}
