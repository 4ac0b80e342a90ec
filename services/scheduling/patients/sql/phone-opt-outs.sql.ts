// Phones of no patient whose owners have opted out of recall messages. A trigger applies the opt-out to the patient who gets the phone.
import { execute, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import { findIdByPhone } from './patients.sql.ts';

const lockStatement = sql("select pg_advisory_xact_lock(hashtextextended('recall opt-outs ' || $1::text, 0))");
const insertStatement = sql('insert into recall_opt_outs (clinic_id, phone, created_at) values ($1, $2, $3) on conflict do nothing');
const deleteStatement = sql('delete from recall_opt_outs where clinic_id = $1 and phone = $2');

/** Returns false, and stores nothing, when a patient has got the phone meanwhile. */
export async function savePhoneOptOut(tx: TenantTx, phone: string, optedOut: boolean, now: Date): Promise<boolean> {
  await execute(tx, lockStatement, [tx.clinicId]); // waits for patients who are being added
  if (await findIdByPhone(tx, phone)) return false;
  if (optedOut) await execute(tx, insertStatement, [tx.clinicId, phone, now]);
  else await execute(tx, deleteStatement, [tx.clinicId, phone]);
  return true;
}
