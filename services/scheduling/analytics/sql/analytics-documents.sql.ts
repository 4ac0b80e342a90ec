// Tax documents as billing tells of them.
import { execute, row, type SystemTx, sql } from '@clinic/lib/db/db.ts';
import type { TaxDocumentChanged } from '@clinic/proto/events/v1/dte_pb.js';

const findStatement = sql<{ issued_on: string }>('select issued_on from analytics_documents where clinic_id = $1 and document_id = $2');
const upsertStatement = sql(`
  insert into analytics_documents as known (clinic_id, document_id, type, status, issued_on, total_cents, revision)
  values ($1, $2, $3, $4, $5, $6, $7)
  on conflict (clinic_id, document_id) do update set type = excluded.type, status = excluded.status, issued_on = excluded.issued_on,
    total_cents = excluded.total_cents, revision = excluded.revision
  where excluded.revision > known.revision`);

/** The days that the document was and is of; none when it is no news. */
export async function upsertDocument(tx: SystemTx, clinicId: string, document: TaxDocumentChanged): Promise<string[]> {
  const { documentId, type, status, issuedOn, totalCents, revision } = document;
  const [before, changed] = await Promise.all([
    row(tx, findStatement, [clinicId, documentId]),
    execute(tx, upsertStatement, [clinicId, documentId, type, status, issuedOn, totalCents, revision]),
  ]);
  if (changed === 0) return [];
  return before ? [before.issued_on, issuedOn] : [issuedOn];
}
