// Opts a patient out of recall messages, or in again. The id may be that of a merged record. Services get a masked DUI, so that the audit log need not
// record a read.
import type { MessageInitShape } from '@bufbuild/protobuf';
import { inTenant, type TenantTx } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { isOfClinic } from '@clinic/lib/rpc/caller.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { SetRecallOptOutRequest } from '@clinic/proto/scheduling/v1/lookup_pb.js';
import type { PatientSchema } from '@clinic/proto/scheduling/v1/patient_pb.js';
import type { App } from '../../app.ts';
import { toMaskedProto, toWholeProto } from '../encrypted-dui.ts';
import { recordOptOuts } from '../recall-opt-outs.ts';
import { findIdByPhone, findPatient, lockReached, setRecallOptedOut } from '../sql/patients.sql.ts';
import { savePhoneOptOut } from '../sql/phone-opt-outs.sql.ts';

export async function setRecallOptOut(app: App, request: SetRecallOptOutRequest, call: Call): Promise<MessageInitShape<typeof PatientSchema>> {
  const { id, phone, optIn } = request;
  if (phone !== undefined && !isOfClinic(call.caller)) return setByPhone(app, call, phone, optIn);
  if (!isUuid(id)) fail('NOT_FOUND', 'Patient not found');
  return inTenant(app.db, clinicOf(call).id, (tx) => setById(app, tx, call, id, optIn));
}

async function setById(app: App, tx: TenantTx, call: Call, id: string, optIn: boolean) {
  // Messaging calls on behalf of the owner of the phone, who also receives the messages about the dependants.
  const withDependants = !isOfClinic(call.caller);
  const patientId = found(await lockReached(tx, id, withDependants), 'Patient');
  const changed = await setRecallOptedOut(tx, patientId, !optIn, withDependants, app.clock.now());
  await recordOptOuts(tx, call.caller, changed, !optIn);
  const patient = changed.find((one) => one.id === patientId) ?? found(await findPatient(tx, patientId), 'Patient');
  return isOfClinic(call.caller) ? toWholeProto(app.keys, tx, call.caller, patient) : toMaskedProto(app.keys, patient);
}

/** The patient who has the phone. If there is none, the opt-out is stored for the phone, and nothing is returned. */
async function setByPhone(app: App, call: Call, phone: string, optIn: boolean): Promise<MessageInitShape<typeof PatientSchema>> {
  const patient = await inTenant(app.db, clinicOf(call).id, async (tx) => {
    const id = await findIdByPhone(tx, phone);
    if (id) return setById(app, tx, call, id, optIn);
    return (await savePhoneOptOut(tx, phone, !optIn, app.clock.now())) ? {} : undefined;
  });
  return patient ?? setByPhone(app, call, phone, optIn); // a patient with the phone was added meanwhile
}
