// Payment and treatment plans as dental returned them, and the lines derived from them.
import { execute, rows, type SystemTx, sql } from '@clinic/lib/db/db.ts';
import { qualified } from '@clinic/lib/db/qualified.ts';
import { dateIn } from '@clinic/lib/formats/local-date.ts';
import { EARNING, type EarningAppointment } from '../../commissions/commission-rules.ts';
import type { Instalment, Priced, ReceivableLine } from '../plan-lines-rules.ts';
import type { ClinicDate } from './day-sums.sql.ts';
import { differences, writeChanged } from './replace-rows.ts';

type Cents<T> = { [K in keyof T]: T[K] extends bigint ? string : T[K] };

export type PaymentPlanFacts = {
  clinic_id: string;
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

/** A record of a clinic. */
type ClinicRecord = { clinicId: string; id: string };
const idsOf = (records: ClinicRecord[]) => [records.map(({ clinicId }) => clinicId), records.map(({ id }) => id)];

/** Upserts rows that are passed as JSON; those whose stored revision is not lower are ignored. Returns `returned` of the others. */
function upsert<Row>(table: string, id: string, others: string, returned: string) {
  const columns = `clinic_id, ${id}, ${others}`;
  return sql<Row>(`
    insert into ${table} as known (${columns}) select ${columns} from jsonb_populate_recordset(null::${table}, $1)
    on conflict (clinic_id, ${id}) do update set (${others}) = row(${qualified(others, 'excluded')})
    where excluded.revision > known.revision returning ${returned}`);
}

const upsertPaymentPlansStatement = upsert<ClinicRecord>(
  'analytics_payment_plans',
  'payment_plan_id',
  'patient_id, treatment_plan_id, status, total_cents, opened_at, instalments, payments, revision',
  'known.clinic_id as "clinicId", known.payment_plan_id as id',
);

/** Returns the plans whose stored revision was lower, or that were not stored. */
export const upsertPaymentPlans = (tx: SystemTx, plans: PaymentPlanFacts[]) => rows(tx, upsertPaymentPlansStatement, [json(plans)]);

export type TreatmentFacts = {
  clinic_id: string;
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

const upsertTreatmentsStatement = upsert<ClinicRecord & { date: string }>(
  'analytics_treatments',
  'treatment_plan_id',
  'patient_id, status, total_cents, opened_at, opened_on, accepted, unscheduled_steps, unscheduled_cents, steps, revision',
  'known.clinic_id as "clinicId", known.treatment_plan_id as id, known.opened_on as date',
);
// In the order of the arrays: the plans, and their appointments.
const replaceAppointments = sql(`
  with fresh as (
    select distinct * from unnest($3::uuid[], $4::uuid[], $5::uuid[]) as done (clinic_id, treatment_plan_id, appointment_id)
  ), deleted as (
    delete from analytics_treatment_visits v using unnest($1::uuid[], $2::uuid[]) as plan (clinic_id, treatment_plan_id)
    where v.clinic_id = plan.clinic_id and v.treatment_plan_id = plan.treatment_plan_id
      and (v.clinic_id, v.treatment_plan_id, v.appointment_id) not in (select * from fresh)
  )
  insert into analytics_treatment_visits (clinic_id, treatment_plan_id, appointment_id) select * from fresh on conflict do nothing`);

/** Returns the plans whose stored revision was lower, or that were not stored, each with the date on which it was opened. */
export async function upsertTreatments(tx: SystemTx, plans: TreatmentFacts[]): Promise<(ClinicRecord & { date: string })[]> {
  const changed = await rows(tx, upsertTreatmentsStatement, [json(plans)]);
  const ids = new Set(changed.map(({ id }) => id));
  const done = plans.filter(({ treatment_plan_id }) => ids.has(treatment_plan_id)).flatMap((plan) => plan.appointments.map((id) => ({ plan, id })));
  const appointments = [done.map(({ plan }) => plan.clinic_id), done.map(({ plan }) => plan.treatment_plan_id), done.map(({ id }) => id)];
  if (changed.length > 0) await execute(tx, replaceAppointments, [...idsOf(changed), ...appointments]);
  return changed;
}

const listOpenedStatement = sql<{ id: string; opened_at: Date; opened_on: string }>(
  'select treatment_plan_id as id, opened_at, opened_on from analytics_treatments where clinic_id = $1',
);

const redateStatement = sql(`
  update analytics_treatments t set opened_on = dated.opened_on from unnest($2::uuid[], $3::date[]) as dated (id, opened_on)
  where t.clinic_id = $1 and t.treatment_plan_id = dated.id`);

/** Dates treatment plans by another zone. Returns the previous and new dates of those that have another date now, some of them twice. */
export async function redateTreatments(tx: SystemTx, clinicId: string, zone: string): Promise<ClinicDate[]> {
  const plans = await rows(tx, listOpenedStatement, [clinicId]);
  // Not dated by the database, whose rules of the zone may be older than those of dateIn(), by which all other figures are dated.
  const moved = plans.map((plan) => ({ ...plan, date: dateIn(zone, plan.opened_at) })).filter(({ date, opened_on }) => date !== opened_on);
  if (moved.length === 0) return [];
  await execute(tx, redateStatement, [clinicId, moved.map(({ id }) => id), moved.map(({ date }) => date)]);
  return moved.flatMap(({ opened_on, date }) => [opened_on, date]).map((date) => ({ clinicId, date }));
}

type PlanRow = Omit<PaymentPlanFacts, 'instalments' | 'payments'> & {
  instalments: Cents<Instalment>[];
  payments: { payment_id: string; cents: string; paid_at: string }[];
  steps: Cents<Priced>[] | null;
  appointments: { id: string; doctor_id: string; starts_at: string }[];
};

const PLANS = `
  select p.clinic_id, p.payment_plan_id, p.patient_id, p.treatment_plan_id, p.status, p.total_cents, p.opened_at, p.instalments, p.payments, p.revision, t.steps,
    (select coalesce(json_agg(json_build_object('id', a.id, 'doctor_id', a.doctor_id, 'starts_at', a.starts_at)), '[]')
     from analytics_treatment_visits v join appointments a on a.clinic_id = v.clinic_id and a.id = v.appointment_id
     where v.clinic_id = p.clinic_id and v.treatment_plan_id = p.treatment_plan_id and a.status in ${EARNING}) as appointments
  from analytics_payment_plans p
  left join analytics_treatments t on t.clinic_id = p.clinic_id and t.treatment_plan_id = p.treatment_plan_id
  `;
const wanted = (id: string) => `join unnest($1::uuid[], $2::uuid[]) as wanted (clinic_id, id) on p.clinic_id = wanted.clinic_id and p.${id} = wanted.id`;
const listByIds = sql<PlanRow>(`${PLANS} ${wanted('payment_plan_id')}`);
const listByTreatments = sql<PlanRow>(`${PLANS} ${wanted('treatment_plan_id')}`);
const listAll = sql<PlanRow>(`${PLANS} where p.clinic_id = $1`);

export type PlanWithTreatment = PaymentPlanFacts & { steps: Priced[]; appointments: EarningAppointment[] };
/** Payment plans by id, by treatment plan, or all of a clinic. */
export type Which = { plans: ClinicRecord[] } | { treatments: ClinicRecord[] } | { clinicId: string };

/** Payment plans with the steps of their treatment, and the appointments that earn a commission for it. */
export async function listPlans(tx: SystemTx, which: Which): Promise<PlanWithTreatment[]> {
  return (await listRows(tx, which)).map((plan) => ({
    ...plan,
    instalments: plan.instalments.map(({ due_date, cents }) => ({ due_date, cents: BigInt(cents) })),
    payments: plan.payments.map(({ payment_id, cents, paid_at }) => ({ payment_id, cents: BigInt(cents), paid_at: new Date(paid_at) })),
    steps: (plan.steps ?? []).map(({ procedure, cents }) => ({ procedure, cents: BigInt(cents) })),
    appointments: plan.appointments.map((appointment) => ({ ...appointment, starts_at: new Date(appointment.starts_at) })),
  }));
}

async function listRows(tx: SystemTx, which: Which): Promise<PlanRow[]> {
  if ('clinicId' in which) return rows(tx, listAll, [which.clinicId]);
  const [statement, records] = 'plans' in which ? [listByIds, which.plans] : [listByTreatments, which.treatments];
  return records.length === 0 ? [] : rows(tx, statement, idsOf(records));
}

export type ClinicAppointment = { clinicId: string; appointmentId: string };

const listPaidStatement = sql<ClinicRecord>(`
  select distinct p.clinic_id as "clinicId", p.payment_plan_id as id
  from unnest($1::uuid[], $2::uuid[]) as a (clinic_id, appointment_id)
  join analytics_treatment_visits v on v.clinic_id = a.clinic_id and v.appointment_id = a.appointment_id
  join analytics_payment_plans p on p.clinic_id = v.clinic_id and p.treatment_plan_id = v.treatment_plan_id`);

/** The payment plans of treatments that are done in some appointments. */
export async function listPaidPlans(tx: SystemTx, appointments: ClinicAppointment[]): Promise<ClinicRecord[]> {
  if (appointments.length === 0) return [];
  return rows(tx, listPaidStatement, [appointments.map(({ clinicId }) => clinicId), appointments.map(({ appointmentId }) => appointmentId)]);
}

export type RevenueLine = {
  clinic_id: string;
  payment_id: string;
  payment_plan_id: string;
  procedure: string;
  date: string;
  doctor_id: string | null;
  cents: bigint;
};
export type PlanReceivable = ReceivableLine & { clinic_id: string; payment_plan_id: string };

/** Replaces the lines of some plans by those passed as JSON. Returns the old and new dates of those that differ. */
function replace(table: string, key: string, others: string) {
  const columns = `${key}, ${others}`;
  return sql<ClinicDate>(`
    with plan as (select * from unnest($1::uuid[], $2::uuid[]) as plan (clinic_id, payment_plan_id)),
    fresh as (select ${columns} from jsonb_populate_recordset(null::${table}, $3)),
    stored as (select * from plan join ${table} using (clinic_id, payment_plan_id)), ${differences(table, key, others)},
    written as (${writeChanged(table, key, others)})
    select clinic_id as "clinicId", date from outdated union select clinic_id, date from changed`);
}

const replaceRevenueStatement = replace('analytics_revenue', 'clinic_id, payment_id, procedure', 'payment_plan_id, date, doctor_id, cents');
const replaceReceivablesStatement = replace('analytics_receivables', 'clinic_id, payment_plan_id, date, due_date', 'cents');

/** Replaces the revenue lines of some plans. Returns the dates whose lines changed. */
export const replaceRevenue = (tx: SystemTx, plans: ClinicRecord[], lines: RevenueLine[]) => rows(tx, replaceRevenueStatement, [...idsOf(plans), json(lines)]);

/** Replaces the receivables of some plans. Returns the dates whose lines changed. */
export const replaceReceivables = (tx: SystemTx, plans: ClinicRecord[], lines: PlanReceivable[]) =>
  rows(tx, replaceReceivablesStatement, [...idsOf(plans), json(lines)]);
