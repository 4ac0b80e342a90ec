// Payment plans of opening balances, with the instalment of those that have a due date.
import { rows, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import { PAYMENT_PLAN_COLUMNS, type PaymentPlanRow } from './payment-plans.sql.ts';

export type NewOpeningBalance = Pick<PaymentPlanRow, 'id' | 'patient_id' | 'description' | 'total_cents' | 'status' | 'next_due_date'> & {
  /** Records that were merged into the patient. Until this service has followed the merge, their payment plans are still theirs. */
  merged_ids: string[];
};

// Only the ids of opening balances are of this version. A merge of patients moves the plan, whose id remains that of the merged patient.
const IS_OPENING_BALANCE = 'uuid_extract_version(id) = 5';

const insertStatement = sql<PaymentPlanRow>(`
  with added as (
    insert into payment_plans as p (clinic_id, id, patient_id, description, total_cents, status, next_due_date, reminder_enabled, created_at, updated_at, remind_since)
    select $1, given.*, false, $8, $8, $9::date
    from unnest($2::uuid[], $3::uuid[], $4::text[], $5::bigint[], $6::text[], $7::date[]) as given (id, patient_id, description, total_cents, status, next_due_date)
    where not exists (
      select from payment_plans join unnest($10::uuid[], $11::uuid[]) as known (remaining_id, record_id) on patient_id = record_id
      where clinic_id = $1 and remaining_id = given.patient_id and ${IS_OPENING_BALANCE})
    on conflict (clinic_id, id) do nothing
    returning ${PAYMENT_PLAN_COLUMNS}
  ), instalments as (
    insert into payment_instalments (clinic_id, payment_plan_id, number, due_date, amount_cents)
    select clinic_id, id, 1, next_due_date, total_cents from added where next_due_date is not null
  )
  select * from added`);

/** Adds those of patients who have none, and returns them. `today` is the date in the clinic's time zone. */
export function insertOpeningBalances(tx: TenantTx, balances: NewOpeningBalance[], today: string, now: Date): Promise<PaymentPlanRow[]> {
  const columns = ['id', 'patient_id', 'description', 'total_cents', 'status', 'next_due_date'] as const;
  const records = balances.flatMap((balance) => recordsOf(balance).map((id) => ({ remaining: balance.patient_id, id })));
  const known = [records.map(({ remaining }) => remaining), records.map(({ id }) => id)];
  return rows(tx, insertStatement, [tx.clinicId, ...columns.map((column) => balances.map((balance) => balance[column])), now, today, ...known]);
}

/** The records whose payment plans are the patient's. */
export const recordsOf = ({ patient_id, merged_ids }: NewOpeningBalance): string[] => [patient_id, ...merged_ids];

type StoredBalance = Pick<PaymentPlanRow, 'id' | 'patient_id' | 'total_cents'>;

const listStatement = sql<StoredBalance>(`
  select id, patient_id, total_cents from payment_plans where clinic_id = $1 and (id = any($2) or (patient_id = any($3) and ${IS_OPENING_BALANCE}))`);

/** The stored opening balances with these ids or of these patients. A patient may have several after merges. */
export const listOpeningBalances = (tx: TenantTx, balances: NewOpeningBalance[]): Promise<StoredBalance[]> =>
  rows(tx, listStatement, [tx.clinicId, balances.map(({ id }) => id), balances.flatMap(recordsOf)]);
