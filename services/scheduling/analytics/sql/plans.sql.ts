// Payment and treatment plans as dental returned them, and the lines that are derived from them.
import { execute, rows, type SystemTx, sql } from '@clinic/lib/db/db.ts';
import type { Instalment, Priced, ReceivableLine, TreatmentAppointment } from '../plan-lines-rules.ts';

type Cents<T> = { [K in keyof T]: T[K] extends bigint ? string : T[K] };

export type PaymentPlanFacts = {
  payment_plan_id: string;
  patient_id: string;
  treatment_plan_id: string | null;
  status: string;
  total_cents: bigint;
  opened_at: Date;
  instalments: Instalment[];
  payments: { payment_id: string; cents: bigint; paid_at: Date }[];
  revision: number;
};

const textOfCents = (_key: string, value: unknown) => (typeof value === 'bigint' ? value.toString() : value);
const json = (value: unknown) => JSON.stringify(value, textOfCents);

const upsertPaymentPlan = sql(`
  insert into analytics_payment_plans as known (clinic_id, payment_plan_id, patient_id, treatment_plan_id, status, total_cents, opened_at, instalments,
    payments, revision)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
  on conflict (clinic_id, payment_plan_id) do update set patient_id = excluded.patient_id, treatment_plan_id = excluded.treatment_plan_id,
    status = excluded.status, total_cents = excluded.total_cents, opened_at = excluded.opened_at, instalments = excluded.instalments,
    payments = excluded.payments, revision = excluded.revision
  where excluded.revision > known.revision`);

/** False when the stored revision is not lower. */
export async function upsertPaymentPlanFacts(tx: SystemTx, clinicId: string, plan: PaymentPlanFacts): Promise<boolean> {
  const { payment_plan_id, patient_id, treatment_plan_id, status, total_cents, opened_at, instalments, payments, revision } = plan;
  const values = [payment_plan_id, patient_id, treatment_plan_id, status, total_cents, opened_at, json(instalments), json(payments), revision];
  return (await execute(tx, upsertPaymentPlan, [clinicId, ...values])) > 0;
}

export type TreatmentFacts = {
  treatment_plan_id: string;
  patient_id: string;
  status: string;
  total_cents: bigint;
  opened_at: Date;
  opened_on: string;
  accepted: boolean;
  unscheduled_steps: number;
  unscheduled_cents: bigint;
  steps: Priced[];
  appointments: string[];
  revision: number;
};

const upsertTreatment = sql(`
  insert into analytics_treatments as known (clinic_id, treatment_plan_id, patient_id, status, total_cents, opened_at, opened_on, accepted,
    unscheduled_steps, unscheduled_cents, steps, revision)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
  on conflict (clinic_id, treatment_plan_id) do update set patient_id = excluded.patient_id, status = excluded.status,
    total_cents = excluded.total_cents, opened_at = excluded.opened_at, opened_on = excluded.opened_on, accepted = excluded.accepted,
    unscheduled_steps = excluded.unscheduled_steps, unscheduled_cents = excluded.unscheduled_cents, steps = excluded.steps,
    revision = excluded.revision
  where excluded.revision > known.revision`);
const deleteAppointments = sql('delete from analytics_treatment_visits where clinic_id = $1 and treatment_plan_id = $2');
const insertAppointments = sql(`
  insert into analytics_treatment_visits (clinic_id, treatment_plan_id, appointment_id) select distinct $1::uuid, $2::uuid, id from unnest($3::uuid[]) as appointment (id)`);

/** False when the stored revision is not lower. */
export async function upsertTreatmentFacts(tx: SystemTx, clinicId: string, plan: TreatmentFacts): Promise<boolean> {
  const { treatment_plan_id: id, patient_id, status, total_cents, opened_at, opened_on, accepted, unscheduled_steps, unscheduled_cents } = plan;
  const values = [patient_id, status, total_cents, opened_at, opened_on, accepted, unscheduled_steps, unscheduled_cents, json(plan.steps), plan.revision];
  if ((await execute(tx, upsertTreatment, [clinicId, id, ...values])) === 0) return false;
  await Promise.all([execute(tx, deleteAppointments, [clinicId, id]), execute(tx, insertAppointments, [clinicId, id, plan.appointments])]);
  return true;
}

const redateStatement = sql(`
  update analytics_treatments set opened_on = (opened_at at time zone $2)::date where clinic_id = $1 and opened_on <> (opened_at at time zone $2)::date`);

const listOpenedStatement = sql<{ opened_on: string }>('select distinct opened_on from analytics_treatments where clinic_id = $1');

/** Dates treatment plans by another zone. Returns all dates that they had before and have now. */
export async function redateTreatments(tx: SystemTx, clinicId: string, zone: string): Promise<string[]> {
  const [before, , after] = await Promise.all([
    rows(tx, listOpenedStatement, [clinicId]),
    execute(tx, redateStatement, [clinicId, zone]),
    rows(tx, listOpenedStatement, [clinicId]),
  ]);
  return [...new Set([...before, ...after].map(({ opened_on }) => opened_on))];
}

type PlanRow = Omit<PaymentPlanFacts, 'instalments' | 'payments'> & {
  instalments: Cents<Instalment>[];
  payments: { payment_id: string; cents: string; paid_at: string }[];
  steps: Cents<Priced>[] | null;
  appointments: { id: string; doctor_id: string; starts_at: string }[];
};

// The statuses are those of appointments whose doctor earns a commission.
const PLANS = `
  select p.payment_plan_id, p.patient_id, p.treatment_plan_id, p.status, p.total_cents, p.opened_at, p.instalments, p.payments, p.revision, t.steps,
    (select coalesce(json_agg(json_build_object('id', a.id, 'doctor_id', a.doctor_id, 'starts_at', a.starts_at)), '[]')
     from analytics_treatment_visits v join appointments a on a.clinic_id = v.clinic_id and a.id = v.appointment_id
     where v.clinic_id = p.clinic_id and v.treatment_plan_id = p.treatment_plan_id and a.status in ('confirmed', 'pending', 'completed')) as appointments
  from analytics_payment_plans p
  left join analytics_treatments t on t.clinic_id = p.clinic_id and t.treatment_plan_id = p.treatment_plan_id
  where p.clinic_id = $1 and `;
const listByIds = sql<PlanRow>(`${PLANS} p.payment_plan_id = any($2)`);
const listByTreatments = sql<PlanRow>(`${PLANS} p.treatment_plan_id = any($2)`);
const listAll = sql<PlanRow>(`${PLANS} $2::uuid[] is null`);

export type PlanWithTreatment = PaymentPlanFacts & { steps: Priced[]; appointments: TreatmentAppointment[] };
/** Payment plans by id, by treatment plan, or all. */
export type Which = { ids: string[] } | { treatments: string[] } | 'all';

/** Payment plans with the steps of their treatment, and the appointments that earn a commission for it. */
export async function listPlans(tx: SystemTx, clinicId: string, which: Which): Promise<PlanWithTreatment[]> {
  const [statement, ids] = choose(which);
  return (await rows(tx, statement, [clinicId, ids])).map((plan) => ({
    ...plan,
    instalments: plan.instalments.map(({ due_date, cents }) => ({ due_date, cents: BigInt(cents) })),
    payments: plan.payments.map(({ payment_id, cents, paid_at }) => ({ payment_id, cents: BigInt(cents), paid_at: new Date(paid_at) })),
    steps: (plan.steps ?? []).map(({ procedure, cents }) => ({ procedure, cents: BigInt(cents) })),
    appointments: plan.appointments.map((appointment) => ({ ...appointment, starts_at: new Date(appointment.starts_at) })),
  }));
}

function choose(which: Which) {
  if (which === 'all') return [listAll, null] as const;
  return 'ids' in which ? ([listByIds, which.ids] as const) : ([listByTreatments, which.treatments] as const);
}

export type ClinicAppointment = { clinicId: string; appointmentId: string };

const listPaidStatement = sql<{ clinicId: string; id: string }>(`
  select distinct p.clinic_id as "clinicId", p.payment_plan_id as id
  from unnest($1::uuid[], $2::uuid[]) as a (clinic_id, appointment_id)
  join analytics_treatment_visits v on v.clinic_id = a.clinic_id and v.appointment_id = a.appointment_id
  join analytics_payment_plans p on p.clinic_id = v.clinic_id and p.treatment_plan_id = v.treatment_plan_id`);

/** The payment plans of treatments that are done in some appointments. */
export async function listPaidPlans(tx: SystemTx, appointments: ClinicAppointment[]): Promise<{ clinicId: string; id: string }[]> {
  if (appointments.length === 0) return [];
  return rows(tx, listPaidStatement, [appointments.map(({ clinicId }) => clinicId), appointments.map(({ appointmentId }) => appointmentId)]);
}

export type RevenueLine = { payment_id: string; payment_plan_id: string; procedure: string; date: string; doctor_id: string | null; cents: bigint };
export type PlanReceivable = ReceivableLine & { payment_plan_id: string };

const deleteRevenue = sql<{ date: string }>('delete from analytics_revenue where clinic_id = $1 and payment_plan_id = any($2) returning date');
const insertRevenue = sql(`
  insert into analytics_revenue (clinic_id, payment_id, payment_plan_id, procedure, date, doctor_id, cents)
  select $1::uuid, * from unnest($2::uuid[], $3::uuid[], $4::text[], $5::date[], $6::uuid[], $7::bigint[])`);

/** Replaces the revenue lines of some plans. Returns the dates of old and new lines. */
export async function replaceRevenue(tx: SystemTx, clinicId: string, planIds: string[], lines: RevenueLine[]): Promise<string[]> {
  const column = <K extends keyof RevenueLine>(key: K) => lines.map((line) => line[key]);
  const [deleted] = await Promise.all([
    rows(tx, deleteRevenue, [clinicId, planIds]),
    execute(tx, insertRevenue, [clinicId, ...(['payment_id', 'payment_plan_id', 'procedure', 'date', 'doctor_id', 'cents'] as const).map(column)]),
  ]);
  return [...new Set([...deleted.map(({ date }) => date), ...column('date')])];
}

const deleteReceivables = sql<{ date: string }>('delete from analytics_receivables where clinic_id = $1 and payment_plan_id = any($2) returning date');
const insertReceivables = sql(`
  insert into analytics_receivables (clinic_id, payment_plan_id, date, due_date, cents)
  select $1::uuid, * from unnest($2::uuid[], $3::date[], $4::date[], $5::bigint[])`);

/** Replaces the receivables of some plans. Returns the dates of old and new lines. */
export async function replaceReceivables(tx: SystemTx, clinicId: string, planIds: string[], lines: PlanReceivable[]): Promise<string[]> {
  const column = <K extends keyof PlanReceivable>(key: K) => lines.map((line) => line[key]);
  const [deleted] = await Promise.all([
    rows(tx, deleteReceivables, [clinicId, planIds]),
    execute(tx, insertReceivables, [clinicId, column('payment_plan_id'), column('date'), column('due_date'), column('cents')]),
  ]);
  return [...new Set([...deleted.map(({ date }) => date), ...column('date')])];
}
