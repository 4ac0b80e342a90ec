// A patient as a receiver of tax documents; only the name when nothing was set.
import { inTenant, isUuid } from '@clinic/lib/db.ts';
import { fail } from '@clinic/lib/errors.ts';
import { as } from '@clinic/lib/rpc/context.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetTaxProfileRequest } from '@clinic/proto/billing/v1/dte_receiver_pb.js';
import type { DteApp } from '../../dte/app.ts';
import { showReceiver } from '../../dte/read-order.ts';
import { findTaxProfile } from '../../sql/dte/tax-profiles.ts';

export async function getTaxProfile(app: DteApp, { id }: GetTaxProfileRequest, call: Call) {
  if (!isUuid(id)) fail('NOT_FOUND', 'Patient not found');
  const patient = await app.lookup.findPatient({ id }, as(call.caller));
  const profile = await inTenant(app.db, clinicOf(call).id, (tx) => findTaxProfile(tx, app.keys, patient.id));
  return profile ? showReceiver(profile) : { name: patient.fullName };
}
