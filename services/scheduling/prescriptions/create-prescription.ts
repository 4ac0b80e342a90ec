// Writes a prescription. It stores the current name and licence number of its author, the caller.
import { audit } from '@clinic/lib/audit/audit.ts';
import { fail, found, invalid } from '@clinic/lib/errors/errors.ts';
import { parseOptionalText, parseText } from '@clinic/lib/formats/text.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import { idempotent } from '@clinic/lib/rpc/idempotency.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import { type CreatePrescriptionRequest, PrescriptionService } from '@clinic/proto/scheduling/v1/prescription_pb.js';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import { refuseMerged } from '../patient-records/merged-record-rules.ts';
import { lockPatientKey } from '../patients/sql/patients.sql.ts';
import { type Item, insertPrescription, takeNumber, toProto } from './prescriptions.sql.ts';

const MAX_ITEMS = 20;

export async function createPrescription(app: App, request: CreatePrescriptionRequest, call: Call) {
  const clinicId = clinicOf(call).id;
  const author = await findAuthor(app, call);
  if (!isUuid(request.patientId)) fail('NOT_FOUND', 'Patient not found');
  const items = parseItems(request);
  return idempotent(app.db, call, PrescriptionService.method.createPrescription, request, async (tx) => {
    const patient = found(await lockPatientKey(tx, request.patientId), 'Patient');
    refuseMerged(patient);
    const number = await takeNumber(tx);
    const prescription = {
      id: v7(),
      number,
      patient_id: patient.id,
      patient_name: patient.full_name,
      patient_birth_date: patient.birth_date,
      author_id: author.id,
      author_name: author.fullName,
      license_number: author.licenseNumber ?? null,
      items,
      created_at: app.clock.now(), // after the number was taken, so that the times follow the numbers
    };
    await insertPrescription(tx, prescription);
    const changes = { patient_id: patient.id, number };
    await audit(tx, clinicId, call.caller, { action: 'prescription.created', entityId: prescription.id, changes });
    return toProto(prescription);
  });
}

/** Throws FORBIDDEN unless the caller is a doctor, or an admin who has a licence number: the owner of a small clinic. */
async function findAuthor(app: App, { caller }: Call) {
  const user = caller.role === 'receptionist' || caller.kind !== 'user' ? undefined : await app.users.getUser({ id: caller.id }, callAs(caller));
  if (user && (caller.role === 'doctor' || user.licenseNumber)) return user;
  return fail('FORBIDDEN', 'Only doctors can write prescriptions');
}

function parseItems({ items }: CreatePrescriptionRequest): Item[] {
  if (items.length === 0 || items.length > MAX_ITEMS) invalid('items', `must have 1 to ${MAX_ITEMS} items`);
  return items.map(({ drug, dose, frequency, duration, notes }, index) => ({
    drug: parseText(`items.${index}.drug`, drug, 200),
    dose: parseText(`items.${index}.dose`, dose, 200),
    frequency: parseText(`items.${index}.frequency`, frequency, 200),
    duration: parseText(`items.${index}.duration`, duration, 200),
    notes: parseOptionalText(`items.${index}.notes`, notes, 500),
  }));
}
