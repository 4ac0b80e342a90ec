// A prescription as PDF, for users and for the holder of a link.
import { audit } from '@clinic/lib/audit/audit.ts';
import { parseLinkToken } from '@clinic/lib/crypto/link-token.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail } from '@clinic/lib/errors/errors.ts';
import type { Caller } from '@clinic/lib/rpc/caller.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetPrescriptionDocumentRequest, OpenPrescriptionRequest } from '@clinic/proto/scheduling/v1/prescription_pb.js';
import type { App } from '../app.ts';
import { findZone } from '../clinics/clinics.sql.ts';
import { asClinic } from '../clinics/page-clinic.ts';
import { drawPrescription } from './draw-prescription.ts';
import { requirePrescription } from './list-prescriptions.ts';
import { findByLink, type PrescriptionRow } from './prescriptions.sql.ts';

export async function getPrescriptionDocument(app: App, request: GetPrescriptionDocumentRequest, call: Call) {
  const { id: clinicId } = clinicOf(call);
  const prescription = await requirePrescription(app, request, call);
  const entry = { action: 'prescription.downloaded', entityId: prescription.id, changes: { patient_id: prescription.patient_id } } as const;
  await inTenant(app.db, clinicId, (tx) => audit(tx, clinicId, call.caller, entry));
  return toPdf(app, clinicId, call.caller, prescription);
}

export async function openPrescription(app: App, { token }: OpenPrescriptionRequest) {
  const { clinicId, id } = parseLinkToken(app.keys, 'clinic prescription', token) ?? fail('NOT_FOUND', 'Prescription not found');
  const prescription = await findByLink(app.db, clinicId, id, app.clock.now());
  if (!prescription) fail('NOT_FOUND', 'This link has expired: the clinic can send a new one');
  return toPdf(app, clinicId, asClinic(clinicId), prescription);
}

async function toPdf(app: App, clinicId: string, caller: Caller, prescription: PrescriptionRow) {
  const [clinic, timezone] = await Promise.all([app.profile.getClinicProfile({}, callAs(caller)), findZone(app.db, clinicId)]);
  return drawPrescription(clinic, prescription, timezone);
}
