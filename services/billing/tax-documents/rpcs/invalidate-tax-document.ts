// Invalidates a sealed document at the tax authority. The event is stored before it is sent: without an answer, the next call or the next
// sweep sends the same event again.
import { inTenant, type TenantTx } from '@clinic/lib/db/db.ts';
import { fail, found, invalid, throwIfInvalid } from '@clinic/lib/errors/errors.ts';
import { parseInteger } from '@clinic/lib/formats/numbers.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { InvalidateTaxDocumentRequest } from '@clinic/proto/billing/v1/dte_document_pb.js';
import { v7 } from 'uuid';
import type { App } from '../../app.ts';
import { isDecision } from '../authority/authority-client.ts';
import { rejection, timeLeft } from '../await-handover.ts';
import { getReadyIssuer, type ReadyIssuer, refuseOtherTaxpayer } from '../get-issuer.ts';
import { orNull, parsePerson } from '../parse-order.ts';
import { fromCents } from '../rules/amounts.ts';
import { invalidationDeadline, localMoment } from '../rules/deadlines.ts';
import { generationCode } from '../rules/document-numbers.ts';
import { personFault } from '../rules/id-numbers.ts';
import { buildInvalidationEvent } from '../rules/invalidation-event.ts';
import { generationOn } from '../rules/kinds.ts';
import { sendInvalidation } from '../send-invalidation.ts';
import { decryptEvent, type EventRow, findPendingInvalidation, insertEvent } from '../sql/authority-events.sql.ts';
import { type DocumentRow, decryptContent, findDocument, listNotesOf, lockDocument } from '../sql/documents.sql.ts';
import { invalidateAfterKill } from '../sweep-tax-documents.ts';
import { toTaxDocument } from '../to-tax-document.ts';

export async function invalidateTaxDocument(app: App, request: InvalidateTaxDocumentRequest, call: Call) {
  if (!isUuid(request.id)) fail('NOT_FOUND', 'Document not found');
  const clinicId = clinicOf(call).id;
  const type = parseInteger('type', request.type, 1, 3) as 1 | 2 | 3;
  const reason = orNull(request.reason);
  if (reason !== null && (reason.length < 5 || reason.length > 200)) invalid('reason', 'must have 5 to 200 characters');
  if (type === 3 && reason === null) invalid('reason', 'is required for type 3');
  const [ready, row, event] = await inTenant(app.db, clinicId, async (tx) => {
    const row = found(await lockDocument(tx, request.id), 'Document');
    const ready = await getReadyIssuer(app, tx);
    const pending = await findPendingInvalidation(tx, row.id);
    if (pending) refuseOther(app, clinicId, pending, { type, reason });
    return [ready, row, pending ?? (await createEvent(app, tx, ready, row, { ...request, type, reason }))] as const;
  });
  const verdict = await sendInvalidation(app, clinicId, ready, event, call.caller, timeLeft(call));
  if (verdict.kind === 'refused') fail('DTE_NOT_CONFIGURED', `The tax authority refuses user or password of the issuer: an admin sets them again. ${STORED}`);
  if (!isDecision(verdict)) fail('UNAVAILABLE', `The tax authority or its signer does not answer. ${STORED}`);
  const after = found(await inTenant(app.db, clinicId, (tx) => findDocument(tx, row.id)), 'Document');
  // The authority may reject this call as a duplicate of another one that it has accepted.
  if (verdict.kind === 'rejected' && after.status !== 'invalidated') throw rejection(verdict.observations, row.id);
  return toTaxDocument(app, clinicId, after);
}

const STORED = 'The invalidation is stored and will be sent again.';

type Wanted = { type: 1 | 2 | 3; reason: string | null };

function refuseOther(app: App, clinicId: string, pending: EventRow, { type, reason }: Wanted): void {
  const { motivo } = decryptEvent(app.keys, clinicId, pending) as ReturnType<typeof buildInvalidationEvent>;
  if (motivo.tipoAnulacion !== type || motivo.motivoAnulacion !== reason)
    fail('DTE_NOT_ALLOWED', 'An invalidation with another type or reason is waiting for the tax authority');
}

type NewInvalidation = Wanted & Pick<InvalidateTaxDocumentRequest, 'requestedBy' | 'replacementId'>;

async function createEvent(app: App, tx: TenantTx, ready: ReadyIssuer, row: DocumentRow, request: NewInvalidation): Promise<EventRow> {
  const { issuer } = ready;
  const { type, reason } = request;
  const now = app.clock.now();
  if (row.status !== 'processed' || row.seal === null || row.processed_at === null) return fail('DTE_NOT_ALLOWED', 'Only a sealed document can be invalidated');
  refuseOtherTaxpayer(row, ready);
  if (now > invalidationDeadline(row.kind, row.processed_at, app.deadlines)) fail('DTE_NOT_ALLOWED', 'The time to invalidate this document is over');
  if (row.kind === '03' && (await listNotesOf(tx, row.id)).length > 0) fail('DTE_NOT_ALLOWED', 'Invalidate the notas de crédito of this document first');
  const requestedBy = request.requestedBy ? parsePerson(request.requestedBy) : issuer.responsible;
  throwIfInvalid(personFault('requestedBy', requestedBy));
  const { day, time } = localMoment(now);
  const generation = generationOn(day, app.cutover);
  // A nota de crédito needs no replacement, except in the legacy schema.
  const needsReplacement = type !== 2 && (row.kind !== '05' || generation === 'legacy');
  if (!needsReplacement && request.replacementId !== undefined) invalid('replacementId', 'must not be sent: this invalidation names no replacement');
  const replacement = needsReplacement ? await getReplacementCode(tx, row, request.replacementId) : null;
  const code = generationCode();
  const { receiver } = decryptContent(app.keys, tx.clinicId, row).order;
  const content = buildInvalidationEvent({
    generation,
    code,
    day,
    time,
    issuer: { ...issuer, environment: row.environment },
    pointOfSale: { establishment: row.establishment, code: row.point_of_sale },
    document: {
      kind: row.kind,
      code: row.code,
      seal: row.seal,
      controlNumber: row.control_number,
      day: row.issued_on,
      iva: fromCents(row.iva_cents),
      receiver:
        receiver?.documentType && receiver.documentNumber
          ? { ...receiver, documentType: receiver.documentType, documentNumber: receiver.documentNumber }
          : null,
    },
    type,
    reason,
    replacement,
    requestedBy,
  });
  const { environment } = row;
  await invalidateAfterKill(tx);
  return insertEvent(tx, app.keys, { id: v7(), kind: 'invalidation', code, environment, generation, document_id: row.id, content, at: now });
}

/** Generation code of the document that replaces this one. */
async function getReplacementCode(tx: TenantTx, row: DocumentRow, id: string | undefined): Promise<string> {
  if (!id || !isUuid(id)) return invalid('replacementId', 'must be the UUID of the document that replaces this one');
  const other = await lockDocument(tx, id); // it cannot be invalidated before the transaction ends
  const fits = other?.status === 'processed' && other.kind === row.kind && other.environment === row.environment && other.id !== row.id;
  if (fits && !(await findPendingInvalidation(tx, other.id))) return other.code;
  return invalid('replacementId', 'must be another sealed document of the same kind and environment that is not invalidated');
}
