// Limits and read-only mode of clinics, as operators have set them. A clinic without a row has the defaults.
import { type Db, getRow, readTenant, row, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import { lockPlan } from '../clinics/clinics.sql.ts';

export type LimitsRow = { clinic_id: string; read_only: boolean; requests_per_minute: number | null; concurrent_requests: number | null };

const findStatement = sql<LimitsRow>(`
  select c.clinic_id, coalesce(l.read_only, false) as read_only, l.requests_per_minute, l.concurrent_requests
  from clinics c left join clinic_limits l on l.clinic_id = c.clinic_id where c.clinic_id = $1`);

/** Undefined when the clinic does not exist. */
export const findLimits = async (db: Db, clinicId: string) => (await readTenant(db, clinicId, findStatement, [clinicId]))[0];

/** The same, locked until the transaction ends. */
export async function lockLimits(tx: TenantTx): Promise<LimitsRow | undefined> {
  await lockPlan(tx); // a statement of its own: the next one sees what was committed before the lock was granted
  return row(tx, findStatement, [tx.clinicId]);
}

const saveStatement = sql<LimitsRow>(`
  insert into clinic_limits (clinic_id, read_only, requests_per_minute, concurrent_requests, updated_at) values ($1, $2, $3, $4, $5)
  on conflict (clinic_id) do update set read_only = excluded.read_only, requests_per_minute = excluded.requests_per_minute,
    concurrent_requests = excluded.concurrent_requests, updated_at = excluded.updated_at
  returning clinic_id, read_only, requests_per_minute, concurrent_requests`);

export const saveLimits = (tx: TenantTx, { read_only, requests_per_minute, concurrent_requests }: LimitsRow, now: Date) =>
  getRow(tx, saveStatement, [tx.clinicId, read_only, requests_per_minute, concurrent_requests, now]);
