// The tax profile of a patient; only the name when none was set. It may contain a national id, so the audit log records that it was read.
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetTaxProfileRequest } from '@clinic/proto/billing/v1/dte_receiver_pb.js';
import type { App } from '../../app.ts';
import { toTaxReceiver } from '../parse-order.ts';
import { findTaxProfile } from '../sql/tax-profiles.sql.ts';

export async function getTaxProfile(app: App, { id }: GetTaxProfileRequest, call: Call) {
  if (!isUuid(id)) fail('NOT_FOUND', 'Patient not found');
  const clinicId = clinicOf(call).id;
  const patient = await app.lookup.findPatient({ id }, callAs(call.caller));
  return inTenant(app.db, clinicId, async (tx) => {
    const profile = await findTaxProfile(tx, app.keys, patient.id);
    if (!profile) return { name: patient.fullName };
    if (profile.documentNumber !== null) await audit(tx, clinicId, call.caller, { action: 'patient.tax_profile_read', entityId: patient.id });
    return toTaxReceiver(profile);
  });
}
