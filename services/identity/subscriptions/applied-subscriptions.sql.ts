// For each clinic, the plan and expiry of the last paid subscription that was applied, those that it was granted without paying, and the newest
// revision, which also counts when a change by an operator remained.
import { execute, row, sql, type Tx } from '@clinic/lib/db/db.ts';
import type { Plan } from '@clinic/lib/formats/plans.ts';

export type AppliedRow = {
  revision: number;
  /** The revision, if the payment provider renews it at its expiry. */
  renewing_revision: number | null;
  plan: Plan;
  expires_at: Date | null;
  granted_plan: Plan;
  granted_expires_at: Date | null;
  /** The newest event, whose id a replayed one does not exceed. */
  source_event_id: string;
};

const findStatement = sql<AppliedRow>(`
  select revision, renewing_revision, plan, expires_at, granted_plan, granted_expires_at, source_event_id from applied_subscriptions where clinic_id = $1`);

/** The clinic must be locked. */
export const findApplied = (tx: Tx, clinicId: string) => row(tx, findStatement, [clinicId]);

const putStatement = sql(`
  insert into applied_subscriptions as known
    (clinic_id, revision, renewing_revision, plan, expires_at, granted_plan, granted_expires_at, source_event_id, applied_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
  on conflict (clinic_id) do update set revision = excluded.revision, renewing_revision = excluded.renewing_revision, plan = excluded.plan,
    expires_at = excluded.expires_at, granted_plan = excluded.granted_plan, granted_expires_at = excluded.granted_expires_at,
    source_event_id = greatest(known.source_event_id, excluded.source_event_id), applied_at = excluded.applied_at`);

export async function putApplied(tx: Tx, clinicId: string, applied: AppliedRow, now: Date): Promise<void> {
  const { revision, renewing_revision, plan, expires_at, granted_plan, granted_expires_at, source_event_id } = applied;
  await execute(tx, putStatement, [clinicId, revision, renewing_revision, plan, expires_at, granted_plan, granted_expires_at, source_event_id, now]);
}
