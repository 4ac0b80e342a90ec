// Commission rules, and the ledger of commissions.
import { alphabetical } from '@clinic/lib/db/alphabetical.ts';
import { type Db, execute, readTenant, row, rows, type SystemTx, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import { toTimestamp } from '@clinic/lib/formats/timestamp.ts';
import { toFields } from '@clinic/lib/formats/to-fields.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type CommissionRule, EARNING, type EarningAppointment, type RuleType } from './commission-rules.ts';

type RuleRow = { doctor_id: string; type: RuleType | null; value: bigint | null; valid_from: Date | null };

export const toRule = (rule: RuleRow) => ({ ...toFields(rule), since: toTimestamp(rule.valid_from) });

const findRuleStatement = sql<RuleRow>(`
  select d.id as doctor_id, r.type, r.value, r.valid_from
  from doctors d
  left join lateral (
    select type, value, valid_from from commission_rules where clinic_id = d.clinic_id and doctor_id = d.id order by valid_from desc limit 1
  ) r on true
  where d.clinic_id = $1 and d.id = $2`);

/** The rule in force now; its fields are null for a doctor without one. Undefined when the clinic has no such doctor. */
export const findRule = async (db: Db, clinicId: string, doctorId: string) =>
  isUuid(doctorId) ? (await readTenant(db, clinicId, findRuleStatement, [clinicId, doctorId]))[0] : undefined;

/** As findRule(), for the id of a doctor. */
export const findRuleIn = (tx: TenantTx, doctorId: string) => row(tx, findRuleStatement, [tx.clinicId, doctorId]);

// Selecting from doctors inserts nothing for a doctor that the clinic does not have.
const setRuleStatement = sql<RuleRow>(`
  insert into commission_rules as r (clinic_id, doctor_id, valid_from, type, value)
  select clinic_id, id, $3, $4, $5 from doctors where clinic_id = $1 and id = $2
  on conflict (clinic_id, doctor_id, valid_from) do update set type = excluded.type, value = excluded.value
  returning doctor_id, type, value, valid_from`);

/** Undefined when the clinic has no such doctor. */
export const setRule = (tx: TenantTx, doctorId: string, rule: CommissionRule, now: Date) =>
  row(tx, setRuleStatement, [tx.clinicId, doctorId, now, rule.type, rule.value]);

const findRuleAtStatement = sql<CommissionRule>(`
  select type, value from commission_rules where clinic_id = $1 and doctor_id = $2 and valid_from <= $3 order by valid_from desc limit 1`);

/** The rule that was in force at an instant. */
export const findRuleAt = (tx: SystemTx, clinicId: string, doctorId: string, at: Date) => row(tx, findRuleAtStatement, [clinicId, doctorId, at]);

const listEarningStatement = sql<EarningAppointment>(`
  select id, doctor_id, starts_at from appointments where clinic_id = $1 and id = any($2) and status in ${EARNING}`);

/** Those of some appointments that earn a commission. */
export const listEarning = (tx: SystemTx, clinicId: string, ids: string[]) => rows(tx, listEarningStatement, [clinicId, ids]);

type EntryRow = {
  clinic_id: string;
  id: string;
  doctor_id: string;
  kind: 'earned' | 'reversed';
  payment_id: string;
  payment_plan_id: string;
  patient_id: string;
  appointment_id: string;
  payment_cents: bigint;
  rule_type: RuleType;
  rule_value: bigint;
  amount_cents: bigint;
  date: string;
  created_at: Date;
};

const COLUMNS = `e.clinic_id, e.id, e.doctor_id, e.kind, e.payment_id, e.payment_plan_id, e.patient_id, e.appointment_id, e.payment_cents, e.rule_type,
  e.rule_value, e.amount_cents, e.date, e.created_at`;

const insertStatement = sql(`
  insert into commission_entries (clinic_id, id, doctor_id, kind, payment_id, payment_plan_id, patient_id, appointment_id, payment_cents, rule_type,
    rule_value, amount_cents, date, created_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
  on conflict on constraint commission_entries_once do nothing`);

/** Does nothing when the payment already has an entry of this kind. */
export async function insertEntry(tx: SystemTx, entry: EntryRow): Promise<void> {
  const { clinic_id, id, doctor_id, kind, payment_id, payment_plan_id, patient_id, appointment_id } = entry;
  const what = [entry.payment_cents, entry.rule_type, entry.rule_value, entry.amount_cents, entry.date, entry.created_at];
  await execute(tx, insertStatement, [clinic_id, id, doctor_id, kind, payment_id, payment_plan_id, patient_id, appointment_id, ...what]);
}

const findEarnedStatement = sql<EntryRow>(`select ${COLUMNS} from commission_entries e where e.clinic_id = $1 and e.payment_id = $2 and e.kind = 'earned'`);

export const findEarned = (tx: SystemTx, clinicId: string, paymentId: string) => row(tx, findEarnedStatement, [clinicId, paymentId]);

const lockStatement = sql(`select pg_advisory_xact_lock(hashtextextended('commission ' || $1::text || $2::text, 0))`);

/** Serializes the events of a payment and of its void. */
export const lockPayment = (tx: SystemTx, clinicId: string, paymentId: string) => execute(tx, lockStatement, [clinicId, paymentId]);

const insertVoidStatement = sql('insert into commission_voids (clinic_id, payment_id, voided_at) values ($1, $2, $3) on conflict do nothing');

export const insertVoid = (tx: SystemTx, clinicId: string, paymentId: string, at: Date) => execute(tx, insertVoidStatement, [clinicId, paymentId, at]);

const findVoidStatement = sql<{ voided_at: Date }>('select voided_at from commission_voids where clinic_id = $1 and payment_id = $2');

export const findVoid = (tx: SystemTx, clinicId: string, paymentId: string) => row(tx, findVoidStatement, [clinicId, paymentId]);

/** `current_patient_id` is the patient into whom the payment's record was merged, or that record itself. */
type ListedRow = EntryRow & { doctor_name: string; current_patient_id: string };

export const toProto = (entry: ListedRow) => ({
  ...toFields(entry),
  patientId: entry.current_patient_id,
  paymentAmount: entry.payment_cents,
  amount: entry.amount_cents,
});

const FILTER = `e.clinic_id = $1 and ($4::date is null or e.date >= $4) and ($5::date is null or e.date <= $5) and ($6::uuid is null or e.doctor_id = $6)`;

// Always at least one row; it carries the totals.
const listEntriesStatement = sql<ListedRow & { total: number; total_cents: bigint }>(`
  select counted.total, counted.total_cents, page.* from (
    select count(*)::int as total, coalesce(sum(e.amount_cents), 0)::bigint as total_cents from commission_entries e where ${FILTER}
  ) counted
  left join lateral (
    select ${COLUMNS}, d.full_name as doctor_name, coalesce(p.merged_into, e.patient_id) as current_patient_id
    from commission_entries e join doctors d on d.clinic_id = e.clinic_id and d.id = e.doctor_id
    left join patients p on p.clinic_id = e.clinic_id and p.id = e.patient_id
    where ${FILTER} order by e.date desc, e.created_at desc, e.id desc limit $2 offset $3
  ) page on true`);

type EntryFilter = { from: string | null; to: string | null; doctorId: string | null };

/** A page of the ledger, newest first, with the number and the sum of all entries that match. */
export async function listEntries(db: Db, clinicId: string, { from, to, doctorId }: EntryFilter, limit: number, offset: number) {
  const entries = await readTenant(db, clinicId, listEntriesStatement, [clinicId, limit, offset, from, to, doctorId]);
  const { total = 0, total_cents = 0n } = entries[0] ?? {};
  return { rows: entries.filter(({ id }) => id !== null), total, total_cents };
}

type MonthRow = { doctor_id: string; full_name: string; payments: number; payment_cents: bigint; earned_cents: bigint; reversed_cents: bigint };

const monthStatement = sql<MonthRow>(`
  select d.id as doctor_id, d.full_name,
    count(*) filter (where e.kind = 'earned')::int as payments,
    coalesce(sum(e.payment_cents) filter (where e.kind = 'earned'), 0)::bigint as payment_cents,
    coalesce(sum(e.amount_cents) filter (where e.kind = 'earned'), 0)::bigint as earned_cents,
    coalesce(-sum(e.amount_cents) filter (where e.kind = 'reversed'), 0)::bigint as reversed_cents
  from commission_entries e join doctors d on d.clinic_id = e.clinic_id and d.id = e.doctor_id
  where e.clinic_id = $1 and e.date >= $2::date and e.date < $2::date + interval '1 month'
  group by d.id, d.full_name order by ${alphabetical('d.full_name')}, d.id`);

/** `first` is the first day of the month. */
export const sumMonth = (tx: TenantTx, first: string) => rows(tx, monthStatement, [tx.clinicId, first]);

export const toMonth = (month: MonthRow) => ({
  ...toFields(month),
  paymentAmount: month.payment_cents,
  earned: month.earned_cents,
  reversed: month.reversed_cents,
  totalAmount: month.earned_cents - month.reversed_cents,
});
