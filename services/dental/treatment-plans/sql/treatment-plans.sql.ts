// Treatment plans. Every change of a plan's options and steps locks the plan's row.
import { type Db, getRow, row, type Statement, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import { readPage } from '@clinic/lib/db/read-page.ts';
import { toFields } from '@clinic/lib/formats/to-fields.ts';

export type PlanRow = {
  clinic_id: string;
  id: string;
  patient_id: string;
  title: string;
  status: string;
  given_total_cents: bigint | null;
  /** The total set by a user, otherwise the sum of the steps of the chosen option that are not skipped. */
  estimated_total_cents: bigint;
  notes: string | null;
  revision: number;
  created_at: Date;
  updated_at: Date;
};

export type PlanState = Pick<PlanRow, 'id' | 'patient_id' | 'status' | 'revision'>;

/** The plan in events. */
export const toState = ({ id, patient_id, status, revision }: PlanState) => ({ treatmentPlanId: id, patientId: patient_id, status, revision });

export const toProto = (plan: PlanRow) => ({ ...toFields(plan), estimatedTotal: plan.estimated_total_cents });

const COLUMNS = `p.clinic_id, p.id, p.patient_id, p.title, p.status, p.given_total_cents, p.notes, p.revision, p.created_at, p.updated_at,
  coalesce(p.given_total_cents, (
    select sum(s.estimated_cost_cents)::bigint
    from treatment_options o join treatment_steps s on s.clinic_id = o.clinic_id and s.treatment_plan_id = o.treatment_plan_id and s.option_id = o.id
    where o.clinic_id = p.clinic_id and o.treatment_plan_id = p.id and o.is_chosen and s.status <> 'skipped'
  ), 0) as estimated_total_cents`;

export type PlanFields = { title: string; status: string; given_total_cents: bigint | null; notes: string | null };

const insertStatement = sql<PlanRow>(`
  insert into treatment_plans as p (clinic_id, id, patient_id, title, status, given_total_cents, notes, created_at, updated_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $8)
  returning ${COLUMNS}`);

export const insertPlan = (tx: TenantTx, id: string, patientId: string, { title, status, given_total_cents, notes }: PlanFields, now: Date) =>
  getRow(tx, insertStatement, [tx.clinicId, id, patientId, title, status, given_total_cents, notes, now]);

/** For data-subject requests: the condition for rows with a treatment_plan_id that belong to the patients in $ids; $1 is the clinic. */
export const OF_PLAN = 'treatment_plan_id in (select p.id from treatment_plans p where p.clinic_id = $1 and p.patient_id = any($ids))';

const findStatement = sql<PlanRow>(`select ${COLUMNS} from treatment_plans p where p.clinic_id = $1 and p.id = $2`);

export const findPlan = (tx: TenantTx, id: string) => row(tx, findStatement, [tx.clinicId, id]);

const lockStatement = sql<PlanRow>(`select ${COLUMNS} from treatment_plans p where p.clinic_id = $1 and p.id = $2 for update of p`);

/** estimated_total_cents may predate a concurrent change that the lock waited for: touchPlan and updatePlan return the new total. */
export const lockPlan = (tx: TenantTx, id: string) => row(tx, lockStatement, [tx.clinicId, id]);

const updateStatement = sql<PlanRow>(`
  update treatment_plans p set title = $3, status = $4, given_total_cents = $5, notes = $6, revision = revision + 1, updated_at = $7
  where p.clinic_id = $1 and p.id = $2
  returning ${COLUMNS}`);

/** The caller has locked the row. */
export const updatePlan = (tx: TenantTx, id: string, { title, status, given_total_cents, notes }: PlanFields, now: Date) =>
  getRow(tx, updateStatement, [tx.clinicId, id, title, status, given_total_cents, notes, now]);

const touchStatement = sql<PlanRow>(`
  update treatment_plans p set revision = revision + 1, updated_at = $3 where p.clinic_id = $1 and p.id = $2 returning ${COLUMNS}`);

/** Records that an option, step or quote of the plan, whose row the caller has locked, has changed. */
export const touchPlan = (tx: TenantTx, id: string, now: Date) => getRow(tx, touchStatement, [tx.clinicId, id, now]);

const pages = new Map<string, Statement<PlanRow & { total: number }>>();

/** A page of plans, newest first. */
export function findTreatmentPlanPage(
  db: Db,
  clinicId: string,
  filter: { patientId?: string | undefined; status?: string | undefined },
  limit: number,
  offset: number,
) {
  const conditions: [string, unknown][] = [];
  if (filter.patientId !== undefined) conditions.push(['p.patient_id', filter.patientId]);
  if (filter.status !== undefined) conditions.push(['p.status', filter.status]);
  const where = ['p.clinic_id = $1', ...conditions.map(([column], index) => `${column} = $${index + 4}`)].join(' and ');
  const statement =
    pages.get(where) ??
    sql<PlanRow & { total: number }>(`
    select counted.total, page.* from (select count(*)::int as total from treatment_plans p where ${where}) counted
    left join lateral (select ${COLUMNS} from treatment_plans p where ${where} order by p.created_at desc, p.id desc limit $2 offset $3) page on true`);
  pages.set(where, statement);
  return readPage(db, clinicId, statement, [clinicId, limit, offset, ...conditions.map(([, value]) => value)]);
}
