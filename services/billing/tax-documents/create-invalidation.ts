// Stores the event that invalidates a document, if the document may be invalidated.
import type { TenantTx } from '@clinic/lib/db/db.ts';
import { fail, invalid, throwIfInvalid } from '@clinic/lib/errors/errors.ts';
import type { InvalidateTaxDocumentRequest } from '@clinic/proto/billing/v1/dte_document_pb.js';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import { type ReadyIssuer, refuseOtherTaxpayer } from './get-issuer.ts';
import { parsePerson } from './parse-order.ts';
import { fromCents } from './rules/amounts.ts';
import { invalidationDeadline, localMoment } from './rules/deadlines.ts';
import { generationCode } from './rules/document-numbers.ts';
import { type Person, personFault } from './rules/id-numbers.ts';
import { buildInvalidationEvent, type InvalidationReason } from './rules/invalidation-event.ts';
import { type Generation, generationOn } from './rules/kinds.ts';
import { type EventRow, findPendingInvalidation, insertEvent } from './sql/authority-events.sql.ts';
import { type DocumentRow, decryptContent, listNotesOf, lockDocument } from './sql/documents.sql.ts';
import { invalidateAfterKill } from './sweep-tax-documents.ts';

type Request = Pick<InvalidateTaxDocumentRequest, 'requestedBy' | 'replacementId'>;

/** The row of the document is locked. */
export async function createInvalidation(
  app: App,
  tx: TenantTx,
  ready: ReadyIssuer,
  row: DocumentRow,
  reason: InvalidationReason,
  request: Request,
): Promise<EventRow> {
  const now = app.clock.now();
  refuseOtherTaxpayer(row, ready);
  const seal = await getSealToInvalidate(app, tx, row, now);
  const requestedBy = request.requestedBy ? parsePerson(request.requestedBy) : ready.issuer.responsible;
  throwIfInvalid(personFault('requestedBy', requestedBy)); // earlier releases stored responsible persons that this rule refuses
  const sent = localMoment(now);
  const generation = generationOn(sent.day, app.cutover);
  const code = generationCode();
  const { environment } = row;
  const content = buildInvalidationEvent({
    generation,
    code,
    ...sent,
    issuer: { ...ready.issuer, environment },
    pointOfSale: { establishment: row.establishment, code: row.point_of_sale },
    document: {
      kind: row.kind,
      code: row.code,
      seal,
      controlNumber: row.control_number,
      day: row.issued_on,
      iva: fromCents(row.iva_cents),
      receiver: getIdentifiedReceiver(app, tx, row),
    },
    ...reason,
    replacement: await getReplacementCode(tx, row, generation, reason, request.replacementId),
    requestedBy,
  });
  await invalidateAfterKill(tx);
  return insertEvent(tx, app.keys, { id: v7(), kind: 'invalidation', code, environment, generation, document_id: row.id, content, at: now });
}

/** Throws DTE_NOT_ALLOWED when the document has no seal, when its deadline has passed, or when notas de crédito depend on it. */
async function getSealToInvalidate(app: App, tx: TenantTx, row: DocumentRow, now: Date): Promise<string> {
  if (row.status !== 'processed' || row.seal === null || row.processed_at === null) return fail('DTE_NOT_ALLOWED', 'Only a sealed document can be invalidated');
  if (now > invalidationDeadline(row.kind, row.processed_at, app.deadlines)) fail('DTE_NOT_ALLOWED', 'The deadline for invalidating this document has passed');
  if (row.kind === '03' && (await listNotesOf(tx, row.id)).length > 0) fail('DTE_NOT_ALLOWED', 'Invalidate the notas de crédito of this document first');
  return row.seal;
}

/** The receiver of the document; null without an identity number. */
function getIdentifiedReceiver(app: App, tx: TenantTx, row: DocumentRow): (Person & { phone: string | null; email: string | null }) | null {
  const { receiver } = decryptContent(app.keys, tx.clinicId, row).order;
  if (!receiver) return null;
  const { name, documentType, documentNumber, phone, email } = receiver;
  return documentType && documentNumber ? { name, documentType, documentNumber, phone, email } : null;
}

/** Generation code of the document that replaces this one; null for an invalidation that names none. */
async function getReplacementCode(
  tx: TenantTx,
  row: DocumentRow,
  generation: Generation,
  { type }: InvalidationReason,
  id: string | undefined,
): Promise<string | null> {
  // A nota de crédito needs no replacement, except in the legacy schema.
  if (type === 2 || (row.kind === '05' && generation === 'current'))
    return id === undefined ? null : invalid('replacementId', 'must not be sent: this invalidation names no replacement');
  if (id === undefined) return invalid('replacementId', 'must be the UUID of the document that replaces this one');
  const other = await lockDocument(tx, id); // it cannot be invalidated before the transaction ends
  const fits = other?.status === 'processed' && other.kind === row.kind && other.environment === row.environment && other.id !== row.id;
  if (fits && !(await findPendingInvalidation(tx, other.id))) return other.code;
  return invalid('replacementId', 'must be another sealed document of the same kind and environment that is not invalidated');
}
