// Names the patient who has a phone that was refused. The unique constraint decides, so the owner is looked up after it was violated.
import { fail, toServiceError } from '@clinic/lib/errors/errors.ts';
import type { App } from '../app.ts';
import { findByPhone } from './sql/lookup.sql.ts';

/** Runs a transaction that assigns the phone to a patient. The details of PHONE_TAKEN name the owner; of a merged record, the patient who remains. */
export async function namePhoneOwner<T>(app: App, clinicId: string, phone: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (toServiceError(error, app.constraints).reason !== 'PHONE_TAKEN') throw error;
  }
  const { patient } = await findByPhone(app.db, clinicId, phone);
  if (!patient) return namePhoneOwner(app, clinicId, phone, work); // the phone was released meanwhile
  const archived = patient.archived_at !== null;
  return fail('PHONE_TAKEN', archived ? 'An archived patient of the clinic has this phone number: restore the patient' : undefined, [
    { path: 'patient_id', message: patient.id },
    { path: 'archived', message: String(archived) },
  ]);
}
