// Who a phone belongs to, asked of scheduling once a day for an unknown phone; later changes come as events.
import type { App } from '../app.ts';

type Known = { clinic_id: string; phone: string; patient_id: string | null; patient_checked_at: Date | null };

const CHECK_AGAIN_MS = 24 * 3_600_000;

/** Null when it belongs to nobody. Undefined when it was not asked, or when scheduling is unavailable: then the next message asks again. */
export async function lookUpPatient(app: App, { clinic_id, phone, patient_id, patient_checked_at }: Known) {
  const isRecent = patient_checked_at && app.clock.now().getTime() - patient_checked_at.getTime() < CHECK_AGAIN_MS;
  if (patient_id || isRecent || !phone.startsWith('+')) return undefined;
  return findPatientOf(app, clinic_id, phone).catch((error: unknown) => {
    app.log.warn({ err: error }, 'the patient of a phone could not be looked up, the next message tries again');
    return undefined;
  });
}

/** The patient to whom scheduling says the phone belongs; null when to nobody. */
export async function findPatientOf(app: App, clinicId: string, phone: string) {
  const { patient } = await app.scheduling.lookup.findPatientByPhone({ phone }, await app.clinics.callOptions(clinicId));
  return patient && !patient.isArchived ? { id: patient.id, name: patient.fullName } : null;
}
