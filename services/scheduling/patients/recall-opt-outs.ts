// What follows from opting patients out of recall messages, or in again.
import { audit } from '@clinic/lib/audit/audit.ts';
import type { TenantTx } from '@clinic/lib/db/db.ts';
import type { Caller } from '@clinic/lib/rpc/caller.ts';
import { publishUpdated } from './publish-patients.ts';
import { type PatientRow, setDependantsOptedOut } from './sql/patients.sql.ts';

/** Publishes patients whose opt-out changed, and adds each to the audit log. */
export async function recordOptOuts(tx: TenantTx, caller: Caller, changed: PatientRow[], optedOut: boolean): Promise<void> {
  const action = optedOut ? 'patient.recall_opted_out' : 'patient.recall_opted_in';
  await Promise.all(changed.flatMap((patient) => [publishUpdated(tx, tx.clinicId, patient), audit(tx, tx.clinicId, caller, { action, entityId: patient.id })]));
}

/** Opts out the dependants who are reached through the phone of a guardian who has opted out. The records of all of them must be locked. */
export const optOutDependants = async (tx: TenantTx, caller: Caller, guardianId: string, now: Date) =>
  recordOptOuts(tx, caller, await setDependantsOptedOut(tx, guardianId, now), true);
