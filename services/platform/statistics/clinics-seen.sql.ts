// Projection of clinics. Events may repeat and arrive out of order: the highest revision wins.
import { type Db, execute, readSystem, type SystemTx, sql } from '@clinic/lib/db/db.ts';

export type ClinicSeen = {
  clinic_id: string;
  plan: string;
  subscription_expires_at: Date | null;
  is_active: boolean;
  timezone: string;
  /** Only ClinicRegistered contains it. */
  registered_at: Date | null;
  revision: number;
};

const upsertStatement = sql(`
  insert into clinics_seen as seen (clinic_id, plan, subscription_expires_at, is_active, timezone, registered_at, revision)
  values ($1, $2, $3, $4, $5, $6, $7)
  on conflict (clinic_id) do update set
    registered_at = coalesce(seen.registered_at, excluded.registered_at),
    plan = case when excluded.revision > seen.revision then excluded.plan else seen.plan end,
    subscription_expires_at = case when excluded.revision > seen.revision then excluded.subscription_expires_at else seen.subscription_expires_at end,
    is_active = case when excluded.revision > seen.revision then excluded.is_active else seen.is_active end,
    timezone = case when excluded.revision > seen.revision then excluded.timezone else seen.timezone end,
    revision = greatest(excluded.revision, seen.revision)`);

export async function upsertClinicSeen(tx: SystemTx, clinic: ClinicSeen): Promise<void> {
  const { clinic_id, plan, subscription_expires_at, is_active, timezone, registered_at, revision } = clinic;
  await execute(tx, upsertStatement, [clinic_id, plan, subscription_expires_at, is_active, timezone, registered_at, revision]);
}

export type ClinicCounts = { total: number; active: number; recent: number; trial: number; basic: number; pro: number; clinica: number; forever_free: number };

const countStatement = sql<ClinicCounts>(`
  select count(*)::int as total,
    count(*) filter (where is_active and (subscription_expires_at is null or subscription_expires_at > $1))::int as active,
    count(*) filter (where registered_at >= $2)::int as recent,
    count(*) filter (where plan = 'trial')::int as trial,
    count(*) filter (where plan = 'basic')::int as basic,
    count(*) filter (where plan = 'pro')::int as pro,
    count(*) filter (where plan = 'clinica')::int as clinica,
    count(*) filter (where plan = 'forever_free')::int as forever_free
  from clinics_seen`);

/** `recent` counts the registrations since `recentSince`. */
export async function countClinics(db: Db, now: Date, recentSince: Date): Promise<ClinicCounts> {
  return (await readSystem(db, countStatement, [now, recentSince]))[0] as ClinicCounts; // an aggregate always returns a row
}
