// Opts a patient out of recall messages, or in again. The id may be that of a merged record. Services get a masked DUI, so that the audit log need not
// record a read.
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { isOfClinic } from '@clinic/lib/rpc/caller.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { SetRecallOptOutRequest } from '@clinic/proto/scheduling/v1/lookup_pb.js';
import type { App } from '../../app.ts';
import { toMaskedProto, toWholeProto } from '../encrypted-dui.ts';
import { publishUpdated } from '../publish-patients.ts';
import { findPatient, lockReached, setRecallOptedOut } from '../sql/patients.sql.ts';

export async function setRecallOptOut(app: App, request: SetRecallOptOutRequest, call: Call) {
  if (!isUuid(request.id)) fail('NOT_FOUND', 'Patient not found');
  return inTenant(app.db, clinicOf(call).id, async (tx) => {
    // Messaging calls on behalf of the owner of the phone, who also receives the messages about the dependants.
    const withDependants = !isOfClinic(call.caller);
    const patientId = found(await lockReached(tx, request.id, withDependants), 'Patient');
    const changed = await setRecallOptedOut(tx, patientId, !request.optIn, withDependants, app.clock.now());
    const action = request.optIn ? 'patient.recall_opted_in' : 'patient.recall_opted_out';
    await Promise.all(
      changed.flatMap((patient) => [publishUpdated(tx, tx.clinicId, patient), audit(tx, tx.clinicId, call.caller, { action, entityId: patient.id })]),
    );
    const patient = changed.find(({ id }) => id === patientId) ?? found(await findPatient(tx, patientId), 'Patient');
    return isOfClinic(call.caller) ? toWholeProto(app.keys, tx, call.caller, patient) : toMaskedProto(app.keys, patient);
  });
}
