// What events have told of clinics: nobody writes to patients of a clinic that is suspended or has no dental plan any more.
import { execute, type SystemTx, sql } from '@clinic/lib/db/db.ts';

export type RecallClinic = { clinic_id: string; plan: string; subscription_expires_at: Date | null; is_active: boolean; revision: number };

const upsertStatement = sql(`
  insert into recall_clinics as seen (clinic_id, plan, subscription_expires_at, is_active, revision) values ($1, $2, $3, $4, $5)
  on conflict (clinic_id) do update set
    plan = excluded.plan, subscription_expires_at = excluded.subscription_expires_at, is_active = excluded.is_active, revision = excluded.revision
  where excluded.revision > seen.revision`);

export async function upsertRecallClinic(tx: SystemTx, clinic: RecallClinic): Promise<void> {
  const { clinic_id, plan, subscription_expires_at, is_active, revision } = clinic;
  await execute(tx, upsertStatement, [clinic_id, plan, subscription_expires_at, is_active, revision]);
}

/** $1 the day that is not done yet, $2 now: clinics with a campaign to run, in one order. */
export const listClinicsToRunStatement = sql<{ clinic_id: string }>(`
  select distinct c.clinic_id from recall_campaigns c left join recall_clinics known on known.clinic_id = c.clinic_id
  where c.is_active and not exists (select 1 from recall_runs r where r.clinic_id = c.clinic_id and r.day = $1)
    and (known.clinic_id is null or known.plan = 'forever_free' and known.is_active
      or known.is_active and known.plan <> 'basic' and coalesce(known.subscription_expires_at > $2, true))
  order by c.clinic_id`);
