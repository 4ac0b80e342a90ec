// Clinics as events tell of them, for calls without a signed-in user.
import { execute, row, sql, type Tx } from '@clinic/lib/db/db.ts';

export type ClinicRow = { clinic_id: string; timezone: string };

/** Of a clinic that no event has told of. */
export const DEFAULT_ZONE = 'America/El_Salvador';

const findStatement = sql<ClinicRow>('select clinic_id, timezone from clinics where clinic_id = $1');

/** The clinic, with the platform's default zone for as long as no event has told of it. */
export async function findClinic(tx: Tx, clinicId: string): Promise<ClinicRow> {
  return (await row(tx, findStatement, [clinicId])) ?? { clinic_id: clinicId, timezone: DEFAULT_ZONE };
}

const upsertStatement = sql(`
  insert into clinics (clinic_id, timezone, revision) values ($1, $2, $3)
  on conflict (clinic_id) do update set timezone = excluded.timezone, revision = excluded.revision where clinics.revision < excluded.revision`);

export async function upsertClinic(tx: Tx, clinicId: string, timezone: string, revision: number): Promise<void> {
  await execute(tx, upsertStatement, [clinicId, timezone, revision]);
}
