// Plan, expiry and status of clinics, from events. Patients get neither recall messages nor reminders of payments from clinics that are suspended,
// have expired, are not dental, have switched dental off, or whose plan does not include it.
import type { Timestamp } from '@bufbuild/protobuf/wkt';
import { type Db, execute, readSystem, type SystemTx, sql } from '@clinic/lib/db/db.ts';
import { toDate } from '@clinic/lib/formats/timestamp.ts';

type RecallClinic = { plan: string; subscriptionExpiresAt?: Timestamp | undefined; isActive: boolean; revision: number };

const upsertStatement = sql(`
  insert into recall_clinics as known (clinic_id, plan, subscription_expires_at, is_active, dental, revision) values ($1, $2, $3, $4, $5, $6)
  on conflict (clinic_id) do update set
    plan = excluded.plan, subscription_expires_at = excluded.subscription_expires_at, is_active = excluded.is_active,
    dental = excluded.dental, revision = excluded.revision
  where excluded.revision > known.revision`);

/** `dental`: whether the clinic is dental, its plan includes dental, and it has not switched dental off. */
export async function upsertRecallClinic(tx: SystemTx, clinicId: string, clinic: RecallClinic, dental: boolean): Promise<void> {
  const { plan, subscriptionExpiresAt, isActive, revision } = clinic;
  await execute(tx, upsertStatement, [clinicId, plan, toDate(subscriptionExpiresAt), isActive, dental, revision]);
}

/** SQL for whether a clinic can use dental: true for one that is not known yet. Its arguments are expressions. */
export const usesDental = (clinicId: string, now: string) => `
  not exists (select from recall_clinics known where known.clinic_id = ${clinicId}
    and not (known.is_active and known.dental and (known.plan = 'forever_free' or coalesce(known.subscription_expires_at > ${now}, true))))`;

const listToRunStatement = sql<{ clinic_id: string }>(`
  select distinct c.clinic_id from recall_campaigns c
  where c.is_active and not exists (select 1 from recall_runs r where r.clinic_id = c.clinic_id and r.day = $1) and ${usesDental('c.clinic_id', '$2')}
  order by c.clinic_id`);

/** Ids of the clinics with an active campaign whose campaigns have not run on `day`, in a fixed order. As the system: over all clinics. */
export const listClinicsToRun = async (db: Db, day: string, now: Date) =>
  (await readSystem(db, listToRunStatement, [day, now])).map(({ clinic_id }) => clinic_id);

const deleteRunsStatement = sql('delete from recall_runs where day < $1::date - $2::int');

/** Deletes records of runs that are more than `days` before `today`. */
export const deleteOldRuns = (tx: SystemTx, today: string, days: number) => execute(tx, deleteRunsStatement, [today, days]);
