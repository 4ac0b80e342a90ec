// Sums of money and treatment by day, made anew from the lines of the days that a change has touched.
import { execute, type SystemTx, sql } from '@clinic/lib/db/db.ts';

const remake = (table: string, columns: string, from: string, group: string) => [
  sql(`delete from ${table} where clinic_id = $1 and date = any($2)`),
  sql(`insert into ${table} (clinic_id, ${columns}) select clinic_id, ${from} where clinic_id = $1 and ${group}`),
];

const revenueStatements = [
  ...remake('analytics_revenue_days', 'date, doctor_id, cents', 'date, doctor_id, sum(cents) from analytics_revenue', 'date = any($2) group by 1, 2, 3'),
  ...remake('analytics_procedure_days', 'date, procedure, cents', 'date, procedure, sum(cents) from analytics_revenue', 'date = any($2) group by 1, 2, 3'),
];
const receivableStatements = remake(
  'analytics_receivable_days',
  'date, due_date, cents',
  'date, due_date, sum(cents) from analytics_receivables',
  'date = any($2) group by 1, 2, 3 having sum(cents) <> 0',
);
const documentStatements = remake(
  'analytics_document_days',
  'date, documents, cents',
  `issued_on, count(*), sum(case when type = 'credit_note' then -total_cents else total_cents end) from analytics_documents`,
  `issued_on = any($2) and status in ('processed', 'contingency') group by 1, 2`,
);

const treatmentStatements = remake(
  'analytics_treatment_days',
  'date, presented, accepted, presented_cents, accepted_cents',
  `opened_on, count(*), count(*) filter (where accepted), sum(total_cents), coalesce(sum(total_cents) filter (where accepted), 0)
    from analytics_treatments`,
  'opened_on = any($2) group by 1, 2',
);

async function remakeAll(tx: SystemTx, statements: ReturnType<typeof remake>, clinicId: string, dates: string[]): Promise<void> {
  if (dates.length > 0) await Promise.all(statements.map((statement) => execute(tx, statement, [clinicId, dates])));
}

export const remakeRevenueDays = (tx: SystemTx, clinicId: string, dates: string[]) => remakeAll(tx, revenueStatements, clinicId, dates);
export const remakeReceivableDays = (tx: SystemTx, clinicId: string, dates: string[]) => remakeAll(tx, receivableStatements, clinicId, dates);
export const remakeDocumentDays = (tx: SystemTx, clinicId: string, dates: string[]) => remakeAll(tx, documentStatements, clinicId, dates);
export const remakeTreatmentDays = (tx: SystemTx, clinicId: string, dates: string[]) => remakeAll(tx, treatmentStatements, clinicId, dates);
