// Sums of money and treatment by day, rebuilt for single days from the rows that they sum. Only rows that differ are written.
import { execute, executeLast, row, type SystemTx, sql } from '@clinic/lib/db/db.ts';
import type { TaxDocumentChanged } from '@clinic/proto/events/v1/dte_pb.js';

/** A date of a clinic. */
export type ClinicDate = { clinicId: string; date: string };

/** `table` has one row for each clinic, date and `key`. `from` is the table that is summed, whose alias is `s`. */
function rebuild(
  table: string,
  { date = 'date', key, sums, from, ...rest }: { date?: string; key?: string; sums: Record<string, string>; from: string; having?: string },
) {
  const names = Object.keys(sums);
  const columns = ['clinic_id', 'date', ...(key ? [key] : []), ...names].join(', ');
  const same = `k.clinic_id = f.clinic_id and k.date = f.date${key ? ` and k.${key} is not distinct from f.${key}` : ''}`;
  const of = (alias: string) => names.map((name) => `${alias}.${name}`).join(', ');
  return sql(`
    with day as (select distinct * from unnest($1::uuid[], $2::date[]) as day (clinic_id, date)), fresh as (
      select day.clinic_id, day.date, ${[...(key ? [`s.${key}`] : []), ...names.map((name) => `${sums[name]} as ${name}`)].join(', ')}
      from day join ${from} s on s.clinic_id = day.clinic_id and s.${date} = day.date
      group by 1, 2${key ? ', 3' : ''} ${rest.having ? `having ${rest.having}` : ''}
    ), deleted as (
      delete from ${table} k using day where k.clinic_id = day.clinic_id and k.date = day.date and not exists (select from fresh f where ${same})
    )
    insert into ${table} (${columns}) select ${columns} from fresh f
    where not exists (select from ${table} k where ${same} and row(${of('k')}) = row(${of('f')}))
    on conflict (clinic_id, date${key ? `, ${key}` : ''}) do update set (${names.join(', ')}) = row(${of('excluded')})`);
}

const REVENUE = { sums: { cents: 'sum(s.cents)' }, from: 'analytics_revenue' };
const revenueStatements = [
  rebuild('analytics_revenue_days', { ...REVENUE, key: 'doctor_id' }),
  rebuild('analytics_procedure_days', { ...REVENUE, key: 'procedure' }),
];
const receivableStatements = [
  rebuild('analytics_receivable_days', { key: 'due_date', sums: { cents: 'sum(s.cents)' }, from: 'analytics_receivables', having: 'sum(s.cents) <> 0' }),
];
const ISSUED = `filter (where s.status in ('processed', 'contingency'))`;
const documentStatements = [
  rebuild('analytics_document_days', {
    date: 'issued_on',
    sums: { documents: `count(*) ${ISSUED}`, cents: `sum(case when s.type = 'credit_note' then -s.total_cents else s.total_cents end) ${ISSUED}` },
    from: 'analytics_documents',
    having: `count(*) ${ISSUED} > 0`,
  }),
];
const treatmentStatements = [
  rebuild('analytics_treatment_days', {
    date: 'opened_on',
    sums: {
      presented: 'count(*)',
      accepted: 'count(*) filter (where s.accepted)',
      presented_cents: 'sum(s.total_cents)',
      accepted_cents: 'coalesce(sum(s.total_cents) filter (where s.accepted), 0)',
    },
    from: 'analytics_treatments',
  }),
];

/** Nothing in the transaction may read these sums. */
const rebuildAll = (statements: ReturnType<typeof rebuild>[]) => (tx: SystemTx, dates: ClinicDate[]) => {
  if (dates.length === 0) return;
  const values = [dates.map(({ clinicId }) => clinicId), dates.map(({ date }) => date)];
  for (const statement of statements) executeLast(tx, statement, values);
};

export const rebuildRevenueDays = rebuildAll(revenueStatements);
export const rebuildReceivableDays = rebuildAll(receivableStatements);
export const rebuildDocumentDays = rebuildAll(documentStatements);
export const rebuildTreatmentDays = rebuildAll(treatmentStatements);

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
