// The plan's limit of active doctors: counted under a lock that lasts until the doctor is in, refused when it cannot be counted.

import type { TenantTx } from '@clinic/lib/db/db.ts';
import { fail } from '@clinic/lib/errors/errors.ts';
import type { CallerClinic } from '@clinic/lib/rpc/caller.ts';
import { countActiveLocked } from './doctors.sql.ts';

/** Throws DOCTOR_LIMIT_REACHED when the clinic has as many as its plan allows, LIMIT_CHECK_UNAVAILABLE when that cannot be told. */
export async function keepDoctorLimit(tx: TenantTx, clinic: CallerClinic): Promise<void> {
  if (clinic.doctorLimit === undefined) return;
  const active = await countActiveLocked(tx).catch(() => fail('LIMIT_CHECK_UNAVAILABLE'));
  if (active >= clinic.doctorLimit) fail('DOCTOR_LIMIT_REACHED');
}
