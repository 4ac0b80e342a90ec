// Where each clinic's days begin. Events may repeat and overtake each other: the highest revision wins.
import { execute, type SystemTx, sql } from '@clinic/lib/db/db.ts';

/** Until the registration of a clinic has been heard of. */
export const DEFAULT_ZONE = 'America/El_Salvador';

const upsertStatement = sql(`
  insert into clinic_zones as known (clinic_id, timezone, revision) values ($1, $2, $3)
  on conflict (clinic_id) do update set timezone = excluded.timezone, revision = excluded.revision
  where excluded.revision > known.revision`);

export async function upsertClinicZone(tx: SystemTx, clinicId: string, timezone: string, revision: number): Promise<void> {
  await execute(tx, upsertStatement, [clinicId, timezone, revision]);
}

/** Every zone that some clinic is in. */
export const listZonesStatement = sql<{ timezone: string }>(`select timezone from clinic_zones union select '${DEFAULT_ZONE}'`);
