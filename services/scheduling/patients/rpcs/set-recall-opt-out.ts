// A patient wants no recall messages any more, or wants them again. The DUI is not part of the answer, so nothing is read that the audit log keeps.
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { emit } from '@clinic/lib/events/outbox.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import { PatientUpdatedSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import type { SetRecallOptOutRequest } from '@clinic/proto/scheduling/v1/lookup_pb.js';
import type { App } from '../../app.ts';
import { maskDui } from '../rules/dui.ts';
import { openDui } from '../sealed-dui.ts';
import { findPatient, setRecallOptedOut, toProto, toState } from '../sql/patients.sql.ts';

export async function setRecallOptOut(app: App, request: SetRecallOptOutRequest, call: Call) {
  const clinic = clinicOf(call);
  if (!isUuid(request.id)) fail('NOT_FOUND', 'Patient not found');
  return inTenant(app.db, clinic.id, async (tx) => {
    const changed = await setRecallOptedOut(tx, request.id, !request.optIn, app.clock.now());
    const patient = changed ?? found(await findPatient(tx, request.id), 'Patient');
    if (changed) {
      await Promise.all([
        emit(tx, clinic.id, PatientUpdatedSchema, { patientId: patient.id, patient: toState(patient) }),
        audit(tx, clinic.id, call.caller, { action: request.optIn ? 'patient.recall_opted_in' : 'patient.recall_opted_out', entityId: patient.id }),
      ]);
    }
    const dui = openDui(app.keys, patient);
    return toProto(patient, dui && maskDui(dui));
  });
}
