// Payment plans. Payments and voids lock the plan's row, so that paid_cents is always the sum of the payments.
import { type Db, getRow, readTenant, row, type Statement, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import { readPage } from '@clinic/lib/db/read-page.ts';
import { toFields } from '@clinic/lib/formats/to-fields.ts';
import { type PaymentStatus, statusOn } from './payment-status-rules.ts';

export type PaymentPlanRow = {
  clinic_id: string;
  id: string;
  patient_id: string;
  treatment_plan_id: string | null;
  description: string;
  total_cents: bigint;
  paid_cents: bigint;
  status: PaymentStatus;
  next_due_date: string | null;
  reminder_enabled: boolean;
  reminder_day_of_month: number | null;
  notes: string | null;
  revision: number;
  created_at: Date;
  updated_at: Date;
};

/** `today` is the date in the clinic's time zone, which decides whether the plan is overdue. */
export function toProto(plan: PaymentPlanRow, today: string) {
  return { ...toFields(plan), totalAmount: plan.total_cents, amountPaid: plan.paid_cents, status: statusOn(today, plan) };
}

/** What events carry of a plan. */
export type PaymentPlanState = Pick<
  PaymentPlanRow,
  'id' | 'patient_id' | 'treatment_plan_id' | 'status' | 'total_cents' | 'paid_cents' | 'next_due_date' | 'revision'
>;
export const STATE_COLUMNS = 'p.clinic_id, p.id, p.patient_id, p.treatment_plan_id, p.status, p.total_cents, p.paid_cents, p.next_due_date, p.revision';

/** The plan as events carry it. */
export function toState(plan: PaymentPlanState) {
  return { ...toFields(plan), paymentPlanId: plan.id, treatmentPlanId: plan.treatment_plan_id ?? '', nextDueDate: plan.next_due_date ?? '' };
}

export const PAYMENT_PLAN_COLUMNS = `p.clinic_id, p.id, p.patient_id, p.treatment_plan_id, p.description, p.total_cents, p.paid_cents, p.status, p.next_due_date,
  p.reminder_enabled, p.reminder_day_of_month, p.notes, p.revision, p.created_at, p.updated_at`;

const insertStatement = sql<PaymentPlanRow>(`
  insert into payment_plans as p (clinic_id, id, patient_id, treatment_plan_id, description, total_cents, status, next_due_date, reminder_enabled,
    reminder_day_of_month, notes, created_at, updated_at, remind_since)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $12, $13)
  returning ${PAYMENT_PLAN_COLUMNS}`);

type NewPaymentPlan = Omit<PaymentPlanRow, 'clinic_id' | 'paid_cents' | 'revision' | 'created_at' | 'updated_at'>;

/** `today` is the date in the clinic's time zone. */
export function insertPaymentPlan(tx: TenantTx, plan: NewPaymentPlan, today: string, now: Date): Promise<PaymentPlanRow> {
  const { id, patient_id, treatment_plan_id, description, total_cents, status, next_due_date, reminder_enabled, reminder_day_of_month, notes } = plan;
  const what = [id, patient_id, treatment_plan_id, description, total_cents, status, next_due_date, reminder_enabled, reminder_day_of_month, notes];
  return getRow(tx, insertStatement, [tx.clinicId, ...what, now, today]);
}

const findStatement = sql<PaymentPlanRow>(`select ${PAYMENT_PLAN_COLUMNS} from payment_plans p where p.clinic_id = $1 and p.id = $2`);
const lockStatement = sql<PaymentPlanRow>(`select ${PAYMENT_PLAN_COLUMNS} from payment_plans p where p.clinic_id = $1 and p.id = $2 for update`);

export const findPaymentPlan = (tx: TenantTx, id: string) => row(tx, findStatement, [tx.clinicId, id]);

export const lockPaymentPlan = (tx: TenantTx, id: string) => row(tx, lockStatement, [tx.clinicId, id]);

// A change that starts reminders (enables them or reopens the plan) or moves their day sets remind_since, so that no earlier day counts as missed.
const updateStatement = sql<PaymentPlanRow>(`
  update payment_plans p set description = $3, paid_cents = $4, status = $5, next_due_date = $6, reminder_enabled = $7, reminder_day_of_month = $8,
    notes = $9, revision = revision + 1, updated_at = $10,
    remind_since = case when p.reminder_enabled and p.status in ('active', 'overdue') and p.reminder_day_of_month is not distinct from $8
      then p.remind_since else $11::date end
  where p.clinic_id = $1 and p.id = $2
  returning ${PAYMENT_PLAN_COLUMNS}`);

/** The caller has locked the row. `today` is the date in the clinic's time zone. */
export function updatePaymentPlan(tx: TenantTx, plan: PaymentPlanRow, today: string, now: Date): Promise<PaymentPlanRow> {
  const { id, description, paid_cents, status, next_due_date, reminder_enabled, reminder_day_of_month, notes } = plan;
  const what = [description, paid_cents, status, next_due_date, reminder_enabled, reminder_day_of_month, notes];
  return getRow(tx, updateStatement, [tx.clinicId, id, ...what, now, today]);
}

/** The same rule as statusOn() in payment-status-rules.ts, in SQL, for the plan `p`; `today` is an expression. */
export const statusOnSql = (today: string) => `case when p.status = 'active' and p.next_due_date < ${today}::date then 'overdue' else p.status end`;

const pages = new Map<string, Statement<PaymentPlanRow & { total: number }>>();

/** A page of plans, newest first. `today` is the date in the clinic's time zone. */
export function findPaymentPlanPage(
  db: Db,
  clinicId: string,
  today: string,
  filter: { patientId?: string | undefined; status?: string | undefined },
  limit: number,
  offset: number,
) {
  const conditions: [string, unknown][] = [];
  if (filter.patientId !== undefined) conditions.push(['p.patient_id', filter.patientId]);
  if (filter.status !== undefined) conditions.push([statusOnSql('$2'), filter.status]);
  const where = ['p.clinic_id = $1 and $2::date is not null', ...conditions.map(([column], index) => `${column} = $${index + 5}`)].join(' and ');
  const statement =
    pages.get(where) ??
    sql<PaymentPlanRow & { total: number }>(`
    select counted.total, page.* from (select count(*)::int as total from payment_plans p where ${where}) counted
    left join lateral (select ${PAYMENT_PLAN_COLUMNS} from payment_plans p where ${where} order by p.created_at desc, p.id desc limit $3 offset $4) page on true`);
  pages.set(where, statement);
  return readPage(db, clinicId, statement, [clinicId, today, limit, offset, ...conditions.map(([, value]) => value)]);
}

/** An active or overdue plan that is not fully paid, with what was due before a day and is not covered by payments. */
type OpenPlan = PaymentPlanRow & { overdue_cents: bigint };

const listOpenStatement = sql<OpenPlan>(`
  select ${PAYMENT_PLAN_COLUMNS}, greatest(coalesce(due.cents, 0) - p.paid_cents, 0)::bigint as overdue_cents
  from payment_plans p cross join lateral (
    select sum(i.amount_cents) as cents from payment_instalments i where i.clinic_id = p.clinic_id and i.payment_plan_id = p.id and i.due_date < $3::date
  ) due
  where p.clinic_id = $1 and p.patient_id = $2 and p.status in ('active', 'overdue') and p.paid_cents < p.total_cents
  order by p.created_at desc, p.id desc`);

/** `today` is the date in the clinic's time zone. */
export const listOpenPlans = (db: Db, clinicId: string, patientId: string, today: string) =>
  readTenant(db, clinicId, listOpenStatement, [clinicId, patientId, today]);

type Summary = { collected: bigint; pending: bigint; active: number; overdue: number };

// Triggers on payment_plans maintain the sums in payment_totals; only overdue plans are counted here, because they depend on the day.
const summaryStatement = sql<Summary>(`
  select coalesce(known.collected_cents, 0) as collected, coalesce(known.pending_cents, 0) as pending,
    coalesce(known.open_count, 0) - late.count as active, late.count as overdue
  from (
    select ((select count(*) from payment_plans where clinic_id = $1 and status = 'overdue')
      + (select count(*) from payment_plans where clinic_id = $1 and status = 'active' and next_due_date < $2::date))::int as count
  ) late left join payment_totals known on known.clinic_id = $1`);

/** `today` is the date in the clinic's time zone. */
export async function findPaymentSummary(db: Db, clinicId: string, today: string): Promise<Summary> {
  const [summary] = await readTenant(db, clinicId, summaryStatement, [clinicId, today]);
  return summary as Summary; // the statement always returns one row
}
