// Time zones of clinics, from events. Events may arrive twice and out of order: the row with the highest revision is stored.
import { type Db, execute, readSystem, type SystemTx, sql } from '@clinic/lib/db/db.ts';
import { DEFAULT_ZONE } from '@clinic/lib/formats/local-date.ts';

const upsertStatement = sql(`
  insert into clinic_zones as known (clinic_id, timezone, revision) values ($1, $2, $3)
  on conflict (clinic_id) do update set timezone = excluded.timezone, revision = excluded.revision
  where excluded.revision > known.revision`);

export async function upsertClinicZone(tx: SystemTx, clinicId: string, timezone: string, revision: number): Promise<void> {
  await execute(tx, upsertStatement, [clinicId, timezone, revision]);
}

const listStatement = sql<{ timezone: string }>(`select timezone from clinic_zones union select '${DEFAULT_ZONE}'`);

/** The time zones of all clinics, each once. */
export const listZones = async (db: Db) => (await readSystem(db, listStatement, [])).map(({ timezone }) => timezone);
