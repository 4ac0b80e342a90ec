// The plan's limit of active doctors, checked under a lock until the transaction that adds a doctor ends.

import type { TenantTx } from '@clinic/lib/db/db.ts';
import { fail } from '@clinic/lib/errors/errors.ts';
import type { CallerClinic } from '@clinic/lib/rpc/caller.ts';
import { lockAndCountActive } from './doctors.sql.ts';

/** Throws DOCTOR_LIMIT_REACHED, or LIMIT_CHECK_UNAVAILABLE when the doctors cannot be counted. */
export async function enforceDoctorLimit(tx: TenantTx, clinic: CallerClinic): Promise<void> {
  if (clinic.doctorLimit === undefined) return;
  const active = await lockAndCountActive(tx).catch(() => fail('LIMIT_CHECK_UNAVAILABLE'));
  if (active >= clinic.doctorLimit) fail('DOCTOR_LIMIT_REACHED');
}
