// Sums of money and treatment by day, rebuilt for single days from the rows that they sum.
import { execute, row, type SystemTx, sql } from '@clinic/lib/db/db.ts';
import type { TaxDocumentChanged } from '@clinic/proto/events/v1/dte_pb.js';

const rebuild = (table: string, columns: string, from: string, group: string) => [
  sql(`delete from ${table} where clinic_id = $1 and date = any($2)`),
  sql(`insert into ${table} (clinic_id, ${columns}) select clinic_id, ${from} where clinic_id = $1 and ${group}`),
];

const revenueStatements = [
  ...rebuild('analytics_revenue_days', 'date, doctor_id, cents', 'date, doctor_id, sum(cents) from analytics_revenue', 'date = any($2) group by 1, 2, 3'),
  ...rebuild('analytics_procedure_days', 'date, procedure, cents', 'date, procedure, sum(cents) from analytics_revenue', 'date = any($2) group by 1, 2, 3'),
];
const receivableStatements = rebuild(
  'analytics_receivable_days',
  'date, due_date, cents',
  'date, due_date, sum(cents) from analytics_receivables',
  'date = any($2) group by 1, 2, 3 having sum(cents) <> 0',
);
const documentStatements = rebuild(
  'analytics_document_days',
  'date, documents, cents',
  `issued_on, count(*), sum(case when type = 'credit_note' then -total_cents else total_cents end) from analytics_documents`,
  `issued_on = any($2) and status in ('processed', 'contingency') group by 1, 2`,
);

const treatmentStatements = rebuild(
  'analytics_treatment_days',
  'date, presented, accepted, presented_cents, accepted_cents',
  `opened_on, count(*), count(*) filter (where accepted), sum(total_cents), coalesce(sum(total_cents) filter (where accepted), 0)
    from analytics_treatments`,
  'opened_on = any($2) group by 1, 2',
);

async function rebuildAll(tx: SystemTx, statements: ReturnType<typeof rebuild>, clinicId: string, dates: string[]): Promise<void> {
  if (dates.length > 0) await Promise.all(statements.map((statement) => execute(tx, statement, [clinicId, dates])));
}

export const rebuildRevenueDays = (tx: SystemTx, clinicId: string, dates: string[]) => rebuildAll(tx, revenueStatements, clinicId, dates);
export const rebuildReceivableDays = (tx: SystemTx, clinicId: string, dates: string[]) => rebuildAll(tx, receivableStatements, clinicId, dates);
export const rebuildDocumentDays = (tx: SystemTx, clinicId: string, dates: string[]) => rebuildAll(tx, documentStatements, clinicId, dates);
export const rebuildTreatmentDays = (tx: SystemTx, clinicId: string, dates: string[]) => rebuildAll(tx, treatmentStatements, clinicId, dates);

const findDocumentStatement = sql<{ issued_on: string }>('select issued_on from analytics_documents where clinic_id = $1 and document_id = $2');
const upsertDocumentStatement = sql(`
  insert into analytics_documents as known (clinic_id, document_id, type, status, issued_on, total_cents, revision)
  values ($1, $2, $3, $4, $5, $6, $7)
  on conflict (clinic_id, document_id) do update set type = excluded.type, status = excluded.status, issued_on = excluded.issued_on,
    total_cents = excluded.total_cents, revision = excluded.revision
  where excluded.revision > known.revision`);

/** The dates of the document before and after the change: a corrected document may have another date. None when the stored revision is not lower. */
export async function upsertDocument(tx: SystemTx, clinicId: string, document: TaxDocumentChanged): Promise<string[]> {
  const { documentId, type, status, issuedOn, totalCents, revision } = document;
  const [before, changed] = await Promise.all([
    row(tx, findDocumentStatement, [clinicId, documentId]),
    execute(tx, upsertDocumentStatement, [clinicId, documentId, type, status, issuedOn, totalCents, revision]),
  ]);
  if (changed === 0) return [];
  return before ? [before.issued_on, issuedOn] : [issuedOn];
}
