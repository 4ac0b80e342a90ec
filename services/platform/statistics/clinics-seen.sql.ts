// Projection of clinics. Events may repeat and arrive out of order: the highest revision wins.
import type { Timestamp } from '@bufbuild/protobuf/wkt';
import { type Db, execute, readSystem, type SystemTx, sql } from '@clinic/lib/db/db.ts';
import { toDate } from '@clinic/lib/formats/timestamp.ts';

/** `registeredAt` is absent in ClinicUpdated. */
type ClinicSeen = {
  plan: string;
  subscriptionExpiresAt?: Timestamp | undefined;
  isActive: boolean;
  timezone: string;
  registeredAt?: Timestamp | undefined;
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

export async function upsertClinicSeen(tx: SystemTx, clinicId: string, clinic: ClinicSeen): Promise<void> {
  const { plan, subscriptionExpiresAt, isActive, timezone, registeredAt, revision } = clinic;
  await execute(tx, upsertStatement, [clinicId, plan, toDate(subscriptionExpiresAt), isActive, timezone, toDate(registeredAt), revision]);
}

type ClinicCounts = { total: number; active: number; recent: number; trial: number; basic: number; pro: number; clinica: number; forever_free: number };

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
export const countClinics = async (db: Db, now: Date, recentSince: Date) => (await readSystem(db, countStatement, [now, recentSince]))[0] as ClinicCounts; // an aggregate always returns a row
