// Tax profiles: patients as receivers of tax documents.
import type { NamedKey } from '@clinic/lib/config/config.ts';
import { execute, row, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import { decryptJson, encryptJson, profileContext } from '../encrypted-columns.ts';
import type { Receiver } from '../rules/receiver.ts';

/** Without a name of its own it has the present name of the patient. Earlier releases stored the name of that time instead. */
type TaxProfile = Receiver & { usesPatientName?: boolean };

/** The patient as a receiver. */
export const toReceiver = ({ usesPatientName, ...receiver }: TaxProfile, patient: { fullName: string }): Receiver =>
  usesPatientName ? { ...receiver, name: patient.fullName } : receiver;

const findStatement = sql<{ profile_sealed: Buffer }>('select profile_sealed from dte_tax_profiles where clinic_id = $1 and patient_id = $2');
const putStatement = sql(`
  insert into dte_tax_profiles (clinic_id, patient_id, profile_sealed, updated_at) values ($1, $2, $3, $4)
  on conflict (clinic_id, patient_id) do update set profile_sealed = excluded.profile_sealed, updated_at = excluded.updated_at`);

export async function findTaxProfile(tx: TenantTx, keys: NamedKey[], patientId: string): Promise<TaxProfile | undefined> {
  const found = await row(tx, findStatement, [tx.clinicId, patientId]);
  return found && decryptJson<TaxProfile>(keys, found.profile_sealed, profileContext(tx.clinicId, patientId));
}

export const putTaxProfile = (tx: TenantTx, keys: NamedKey[], patientId: string, profile: TaxProfile, now: Date) =>
  execute(tx, putStatement, [tx.clinicId, patientId, encryptJson(keys, profile, profileContext(tx.clinicId, patientId)), now]);
