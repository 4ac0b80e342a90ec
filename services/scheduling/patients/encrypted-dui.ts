// The DUI of a patient: encrypted with a context that binds it to its row, and a keyed hash that finds an exact one in its clinic.
import { audit } from '@clinic/lib/audit/audit.ts';
import type { NamedKey } from '@clinic/lib/config/config.ts';
import { blindIndex, blindIndexes, currentKey, decrypt, encrypt } from '@clinic/lib/crypto/crypto.ts';
import type { TenantTx } from '@clinic/lib/db/db.ts';
import { isDuiCheckDigitRight, maskDui } from '@clinic/lib/formats/dui.ts';
import type { Caller } from '@clinic/lib/rpc/caller.ts';
import { type EncryptedDui, type PatientRow, toProto } from './sql/patients.sql.ts';

export const rowContext = (clinicId: string, patientId: string) => `${clinicId}/patients/${patientId}/dui`;
export const columnContext = (clinicId: string) => `${clinicId}/patients/dui`;

export function encryptDui(keys: NamedKey[], clinicId: string, patientId: string, dui: string | null): EncryptedDui | null {
  if (dui === null) return null;
  return {
    ciphertext: encrypt(keys, dui, rowContext(clinicId, patientId)),
    index: blindIndex(currentKey(keys), columnContext(clinicId), dui),
    verified: isDuiCheckDigitRight(dui),
  };
}

export type DuiHolder = Pick<PatientRow, 'clinic_id' | 'id' | 'dui_sealed'>;

/** The whole DUI, or null when the patient has none. */
export function decryptDui(keys: NamedKey[], patient: DuiHolder): string | null {
  return patient.dui_sealed ? decrypt(keys, patient.dui_sealed, rowContext(patient.clinic_id, patient.id)) : null;
}

/** The values that the column dui_index may have for this DUI, one for each key. */
export const duiIndexes = (keys: NamedKey[], clinicId: string, dui: string): Buffer[] => blindIndexes(keys, columnContext(clinicId), dui);

/** The patient with a masked DUI, as in lists. */
export function toMaskedProto(keys: NamedKey[], patient: PatientRow) {
  const dui = decryptDui(keys, patient);
  return toProto(patient, dui && maskDui(dui));
}

/** The patient with the whole DUI. The audit log records the read. */
export async function toWholeProto(keys: NamedKey[], tx: TenantTx, caller: Caller, patient: PatientRow) {
  const dui = decryptDui(keys, patient);
  if (dui) await audit(tx, tx.clinicId, caller, { action: 'patient.dui_read', entityId: patient.id });
  return toProto(patient, dui);
}
