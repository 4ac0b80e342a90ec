// Names the patient who has a phone that was refused. The unique constraint decides, so the owner is looked up after it was violated.
import { fail, toServiceError } from '@clinic/lib/errors/errors.ts';
import type { App } from '../app.ts';
import { findByPhone } from './sql/lookup.sql.ts';

const ARCHIVED = 'An archived patient of the clinic has this phone number: restore the patient';
const MERGED_INTO_PATIENT =
  'A record that was merged into this patient has this phone number, so it finds this patient already. To change which number is shown, undo the merge and keep the other record';

/**
 * Runs a transaction that assigns the phone to a patient: a new one, or the one with the id. The details of PHONE_TAKEN name the owner; of a merged
 * record, the patient who remains.
 */
export async function namePhoneOwner<T>(app: App, clinicId: string, phone: string, work: () => Promise<T>, patientId?: string): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (toServiceError(error, app.constraints).reason !== 'PHONE_TAKEN') throw error;
  }
  const { patient } = await findByPhone(app.db, clinicId, phone);
  if (!patient) return namePhoneOwner(app, clinicId, phone, work, patientId); // the phone was released meanwhile
  const archived = patient.archived_at !== null;
  return fail('PHONE_TAKEN', patient.id === patientId ? MERGED_INTO_PATIENT : archived ? ARCHIVED : undefined, [
    { path: 'patient_id', message: patient.id },
    { path: 'archived', message: String(archived) },
  ]);
}
