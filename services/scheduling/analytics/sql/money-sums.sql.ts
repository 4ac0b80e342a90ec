// Sums of money and treatment by day.
import { execute, row, type SystemTx, sql } from '@clinic/lib/db/db.ts';
import type { TaxDocumentChanged } from '@clinic/proto/events/v1/dte_pb.js';
import { type ClinicDate, daySums, rebuildLast } from './day-sums.sql.ts';

const REVENUE = { sums: { cents: 'sum(s.cents)' }, from: 'analytics_revenue' };
export const rebuildRevenueDays = rebuildLast(
  daySums('analytics_revenue_days', { ...REVENUE, key: 'doctor_id' }),
  daySums('analytics_procedure_days', { ...REVENUE, key: 'procedure' }),
);
export const rebuildReceivableDays = rebuildLast(
  daySums('analytics_receivable_days', { key: 'due_date', sums: { cents: 'sum(s.cents)' }, from: 'analytics_receivables', having: 'sum(s.cents) <> 0' }),
);
const ISSUED = `filter (where s.status in ('processed', 'contingency'))`;
export const rebuildDocumentDays = rebuildLast(
  daySums('analytics_document_days', {
    date: 'issued_on',
    sums: { documents: `count(*) ${ISSUED}`, cents: `sum(case when s.type = 'credit_note' then -s.total_cents else s.total_cents end) ${ISSUED}` },
    from: 'analytics_documents',
    having: `count(*) ${ISSUED} > 0`,
  }),
);
export const rebuildTreatmentDays = rebuildLast(
  daySums('analytics_treatment_days', {
    date: 'opened_on',
    sums: {
      presented: 'count(*)',
      accepted: 'count(*) filter (where s.accepted)',
      presented_cents: 'sum(s.total_cents)',
      accepted_cents: 'coalesce(sum(s.total_cents) filter (where s.accepted), 0)',
    },
    from: 'analytics_treatments',
  }),
);

const findDocumentStatement = sql<{ issued_on: string }>('select issued_on from analytics_documents where clinic_id = $1 and document_id = $2');
const upsertDocumentStatement = sql(`
  insert into analytics_documents as known (clinic_id, document_id, type, status, issued_on, total_cents, revision)
  values ($1, $2, $3, $4, $5, $6, $7)
  on conflict (clinic_id, document_id) do update set type = excluded.type, status = excluded.status, issued_on = excluded.issued_on,
    total_cents = excluded.total_cents, revision = excluded.revision
  where excluded.revision > known.revision`);

/** The dates of the document before and after the change: a corrected document may have another date. None when the stored revision is not lower. */
export async function upsertDocument(tx: SystemTx, clinicId: string, document: TaxDocumentChanged): Promise<ClinicDate[]> {
  const { documentId, type, status, issuedOn, totalCents, revision } = document;
  const [before, changed] = await Promise.all([
    row(tx, findDocumentStatement, [clinicId, documentId]),
    execute(tx, upsertDocumentStatement, [clinicId, documentId, type, status, issuedOn, totalCents, revision]),
  ]);
  if (changed === 0) return [];
  return [issuedOn, ...(before ? [before.issued_on] : [])].map((date) => ({ clinicId, date }));
}
