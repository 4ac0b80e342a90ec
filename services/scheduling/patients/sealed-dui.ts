// How a national id rests in a patient's row: sealed for this row alone, and a keyed hash that finds an exact one in its clinic.
import type { NamedKey } from '@clinic/lib/config/config.ts';
import { blindIndex, blindIndexes, decrypt, encrypt } from '@clinic/lib/crypto/crypto.ts';
import type { Dui } from './rules/dui.ts';
import type { PatientRow, SealedDui } from './sql/patients.sql.ts';

export const rowContext = (clinicId: string, patientId: string) => `${clinicId}/patients/${patientId}/dui`;
export const columnContext = (clinicId: string) => `${clinicId}/patients/dui`;

export function sealDui(keys: NamedKey[], clinicId: string, patientId: string, dui: Dui): SealedDui {
  const [key] = keys;
  if (!key) throw new Error('ENCRYPTION_KEYS is empty');
  return {
    sealed: encrypt(keys, dui.text, rowContext(clinicId, patientId)),
    index: blindIndex(key, columnContext(clinicId), dui.text),
    verified: dui.verified,
  };
}

/** The whole DUI, or null when the patient has none. */
export function openDui(keys: NamedKey[], patient: Pick<PatientRow, 'clinic_id' | 'id' | 'dui_sealed'>): string | null {
  return patient.dui_sealed ? decrypt(keys, patient.dui_sealed, rowContext(patient.clinic_id, patient.id)) : null;
}

/** What the column may hold for this DUI, one for each key of the ring. */
export function duiIndexes(keys: NamedKey[], clinicId: string, dui: Dui): Buffer[] {
  return blindIndexes(keys, columnContext(clinicId), dui.text);
}
