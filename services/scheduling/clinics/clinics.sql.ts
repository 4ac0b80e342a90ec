// The time zone of each clinic as identity's events report it, for calls without a signed-in user.
import { type Db, execute, readTenant, row, sql, type Tx } from '@clinic/lib/db/db.ts';

/** The zone of a clinic whose registration has not arrived yet. */
export const DEFAULT_ZONE = 'America/El_Salvador';

/** The revision of a clinic at its registration, whose event carries none. */
export const FIRST_REVISION = 1;

const findStatement = sql<{ timezone: string }>('select timezone from clinics where clinic_id = $1');

/** `unknown` is the zone of a clinic that is not stored yet. */
export async function findZone(tx: Tx, clinicId: string, unknown = DEFAULT_ZONE): Promise<string> {
  return (await row(tx, findStatement, [clinicId]))?.timezone ?? unknown;
}

export async function readZone(db: Db, clinicId: string, unknown = DEFAULT_ZONE): Promise<string> {
  return (await readTenant(db, clinicId, findStatement, [clinicId]))[0]?.timezone ?? unknown;
}

const upsertStatement = sql(`
  insert into clinics (clinic_id, timezone, revision) values ($1, $2, $3)
  on conflict (clinic_id) do update set timezone = excluded.timezone, revision = excluded.revision where clinics.revision < excluded.revision`);

/** Does nothing when a higher revision is stored. */
export async function upsertClinic(tx: Tx, clinicId: string, timezone: string, revision: number): Promise<void> {
  await execute(tx, upsertStatement, [clinicId, timezone, revision]);
}
