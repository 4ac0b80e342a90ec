// Gets and replaces the tax profile of a patient. A patient without one has a profile with only the name.
import { audit, isUnchanged } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, invalid } from '@clinic/lib/errors/errors.ts';
import { toFields } from '@clinic/lib/formats/to-fields.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetTaxProfileRequest, SetTaxProfileRequest } from '@clinic/proto/billing/v1/dte_receiver_pb.js';
import type { App } from '../../app.ts';
import { parseReceiver } from '../parse-order.ts';
import { receiverFault } from '../rules/receiver.ts';
import { findTaxProfile, putTaxProfile, toReceiver } from '../sql/tax-profiles.sql.ts';

/** The audit log records the reading of a profile with an identity number, which may be a national id. */
export async function getTaxProfile(app: App, { id }: GetTaxProfileRequest, call: Call) {
  const patient = await getPatient(app, id, call, false);
  return inTenant(app.db, clinicOf(call).id, async (tx) => {
    const profile = await findTaxProfile(tx, app.keys, patient.id);
    if (!profile) return { name: patient.fullName };
    if (profile.documentNumber !== null) await audit(tx, tx.clinicId, call.caller, { action: 'patient.tax_profile_read', entityId: patient.id });
    return toFields(toReceiver(profile, patient));
  });
}

export async function setTaxProfile(app: App, request: SetTaxProfileRequest, call: Call) {
  // The name of the patient, which a profile without its own name has, is always valid.
  const wrong = receiverFault(app.catalogs, parseReceiver(request, 'Paciente'));
  if (wrong) invalid(wrong.path.replace(/^receiver\./, ''), wrong.message);
  const patient = await getPatient(app, request.id, call, true);
  const profile = { ...parseReceiver(request, patient.fullName), usesPatientName: !request.name?.trim() };
  await inTenant(app.db, clinicOf(call).id, async (tx) => {
    const before = await findTaxProfile(tx, app.keys, patient.id);
    if (before && isUnchanged(before, profile)) return;
    await putTaxProfile(tx, app.keys, patient.id, profile, app.clock.now());
    await audit(tx, tx.clinicId, call.caller, { action: 'patient.tax_profile_set', entityId: patient.id });
  });
  return toFields(profile);
}

function getPatient(app: App, id: string, call: Call, toChange: boolean) {
  if (!isUuid(id)) fail('NOT_FOUND', 'Patient not found');
  return app.lookup.findPatient({ id, toChange, followMerge: !toChange }, callAs(call.caller));
}
