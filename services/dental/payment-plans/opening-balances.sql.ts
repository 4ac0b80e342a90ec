// Payment plans of opening balances, with the instalment of those that have a due date.
import { rows, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import { PAYMENT_PLAN_COLUMNS, type PaymentPlanRow } from './payment-plans.sql.ts';

export type NewOpeningBalance = Pick<PaymentPlanRow, 'id' | 'patient_id' | 'description' | 'total_cents' | 'status' | 'next_due_date'>;

const insertStatement = sql<PaymentPlanRow>(`
  with added as (
    insert into payment_plans as p (clinic_id, id, patient_id, description, total_cents, status, next_due_date, reminder_enabled, created_at, updated_at, remind_since)
    select $1, given.*, false, $8, $8, $9::date
    from unnest($2::uuid[], $3::uuid[], $4::text[], $5::bigint[], $6::text[], $7::date[]) as given (id, patient_id, description, total_cents, status, next_due_date)
    on conflict (clinic_id, id) do nothing
    returning ${PAYMENT_PLAN_COLUMNS}
  ), instalments as (
    insert into payment_instalments (clinic_id, payment_plan_id, number, due_date, amount_cents)
    select clinic_id, id, 1, next_due_date, total_cents from added where next_due_date is not null
  )
  select * from added`);

/** Returns those that were not there before. `today` is the date in the clinic's time zone. */
export function insertOpeningBalances(tx: TenantTx, balances: NewOpeningBalance[], today: string, now: Date): Promise<PaymentPlanRow[]> {
  const columns = ['id', 'patient_id', 'description', 'total_cents', 'status', 'next_due_date'] as const;
  return rows(tx, insertStatement, [tx.clinicId, ...columns.map((column) => balances.map((balance) => balance[column])), now, today]);
}

const listTotalsStatement = sql<{ id: string; total_cents: bigint }>('select id, total_cents from payment_plans where clinic_id = $1 and id = any($2)');

export const listTotals = async (tx: TenantTx, ids: string[]) =>
  new Map((await rows(tx, listTotalsStatement, [tx.clinicId, ids])).map(({ id, total_cents }) => [id, total_cents]));
