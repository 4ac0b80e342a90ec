// Looks up the patient of a phone in scheduling: at most once a day for an unknown phone, since later changes arrive as events.
import type { App } from '../app.ts';

type Known = { clinic_id: string; phone: string; patient_id: string | null; patient_checked_at: Date | null };

const CHECK_AGAIN_MS = 24 * 3_600_000;

/** Null if the phone belongs to nobody. Undefined if scheduling was not called, or failed; then the next message tries again. */
export async function lookUpPatient(app: App, { clinic_id, phone, patient_id, patient_checked_at }: Known) {
  const isRecent = patient_checked_at && app.clock.now().getTime() - patient_checked_at.getTime() < CHECK_AGAIN_MS;
  if (patient_id || isRecent || !phone.startsWith('+')) return undefined;
  return findPatientOf(app, clinic_id, phone).catch((error: unknown) => {
    app.log.warn({ err: error }, 'the patient of a phone could not be looked up; the next message tries again');
    return undefined;
  });
}

/** The patient to whom the phone belongs according to scheduling; null if it belongs to nobody. */
export async function findPatientOf(app: App, clinicId: string, phone: string) {
  const { patient } = await app.scheduling.lookup.findPatientByPhone({ phone }, await app.clinics.callOptions(clinicId));
  return patient && !patient.isArchived ? { id: patient.id, name: patient.fullName } : null;
}
