// Replaces the tax profile of a patient.
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, invalid } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { SetTaxProfileRequest } from '@clinic/proto/billing/v1/dte_receiver_pb.js';
import type { App } from '../../app.ts';
import { parseReceiver, toTaxReceiver } from '../parse-order.ts';
import { receiverFault } from '../rules/receiver.ts';
import { putTaxProfile } from '../sql/tax-profiles.sql.ts';

export async function setTaxProfile(app: App, request: SetTaxProfileRequest, call: Call) {
  if (!isUuid(request.id)) fail('NOT_FOUND', 'Patient not found');
  const clinicId = clinicOf(call).id;
  const patient = await app.lookup.findPatient({ id: request.id }, callAs(call.caller));
  const profile = parseReceiver(request, patient.fullName);
  const wrong = receiverFault(app.catalogs, profile);
  if (wrong) invalid(wrong.path.replace(/^receiver\./, ''), wrong.message);
  await inTenant(app.db, clinicId, async (tx) => {
    await putTaxProfile(tx, app.keys, patient.id, profile, app.clock.now());
    await audit(tx, clinicId, call.caller, { action: 'patient.tax_profile_set', entityId: patient.id });
  });
  return toTaxReceiver(profile);
}
