// Invalidates a sealed document at the tax authority. The event is stored before it is sent: without an answer, the next call or the next
// sweep sends the same event again.
import { isDeepStrictEqual } from 'node:util';
import { inTenant, type TenantTx } from '@clinic/lib/db/db.ts';
import { fail, found, invalid, throwIfInvalid } from '@clinic/lib/errors/errors.ts';
import { parseInteger } from '@clinic/lib/formats/numbers.ts';
import { isUuid, parseUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { InvalidateTaxDocumentRequest } from '@clinic/proto/billing/v1/dte_document_pb.js';
import type { App } from '../../app.ts';
import { isDecision } from '../authority/authority-client.ts';
import { rejection, timeLeft } from '../await-handover.ts';
import { createInvalidation } from '../create-invalidation.ts';
import { getReadyIssuer } from '../get-issuer.ts';
import { orNull, parsePerson } from '../parse-order.ts';
import { formatNumber, personFault } from '../rules/id-numbers.ts';
import type { buildInvalidationEvent, InvalidationReason } from '../rules/invalidation-event.ts';
import { sendInvalidation } from '../send-invalidation.ts';
import { decryptEvent, type EventRow, findPendingInvalidation } from '../sql/authority-events.sql.ts';
import { findDocument, lockDocument, lockDocuments } from '../sql/documents.sql.ts';
import { toTaxDocument } from '../to-tax-document.ts';

export async function invalidateTaxDocument(app: App, request: InvalidateTaxDocumentRequest, call: Call) {
  if (!isUuid(request.id)) fail('NOT_FOUND', 'Document not found');
  const clinicId = clinicOf(call).id;
  const wanted = parseReason(request);
  if (request.replacementId !== undefined) parseUuid('replacementId', request.replacementId);
  if (request.requestedBy) throwIfInvalid(personFault('requestedBy', parsePerson(request.requestedBy)));
  const [ready, event] = await inTenant(app.db, clinicId, async (tx) => {
    await lockDocuments(tx, [request.id, request.replacementId ?? ''].filter(isUuid));
    const row = found(await lockDocument(tx, request.id), 'Document');
    const ready = await getReadyIssuer(app, tx);
    const pending = await findPendingInvalidation(tx, row.id);
    if (pending) await refuseOther(app, tx, pending, wanted, request);
    return [ready, pending ?? (await createInvalidation(app, tx, ready, row, wanted, request))] as const;
  });
  const verdict = await sendInvalidation(app, clinicId, ready, event, call.caller, timeLeft(call));
  if (verdict.kind === 'refused')
    fail('DTE_NOT_CONFIGURED', `The tax authority refuses user or password of the issuer: an admin must set them again. ${STORED}`);
  if (!isDecision(verdict)) fail('UNAVAILABLE', `The tax authority or its signer does not answer. ${STORED}`);
  const after = found(await inTenant(app.db, clinicId, (tx) => findDocument(tx, request.id)), 'Document');
  // The authority may reject this call as a duplicate of another one that it has accepted.
  if (verdict.kind === 'rejected' && after.status !== 'invalidated') throw rejection(verdict.observations, request.id);
  return toTaxDocument(app, clinicId, after);
}

const STORED = 'The invalidation is stored and will be sent again.';

function parseReason(request: InvalidateTaxDocumentRequest): InvalidationReason {
  const type = parseInteger('type', request.type, 1, 3) as 1 | 2 | 3;
  const reason = orNull(request.reason);
  if (reason !== null && (reason.length < 5 || reason.length > 200)) invalid('reason', 'must have 5 to 200 characters');
  if (type === 3 && reason === null) invalid('reason', 'is required for type 3');
  return { type, reason };
}

/** Throws DTE_NOT_ALLOWED when the request contradicts the pending invalidation. What it may leave out, and leaves out, does not. */
async function refuseOther(
  app: App,
  tx: TenantTx,
  pending: EventRow,
  { type, reason }: InvalidationReason,
  { replacementId, requestedBy }: InvalidateTaxDocumentRequest,
): Promise<void> {
  const { documento, motivo } = decryptEvent(app.keys, tx.clinicId, pending) as ReturnType<typeof buildInvalidationEvent>;
  const refuse = (what: string) => fail('DTE_NOT_ALLOWED', `An invalidation with another ${what} is waiting for the tax authority`);
  if (motivo.tipoAnulacion !== type || motivo.motivoAnulacion !== reason) refuse('type or reason');
  if (replacementId !== undefined && (await findDocument(tx, replacementId))?.code !== documento.codigoGeneracionR) refuse('replacementId');
  if (!requestedBy) return;
  const { name, documentType, documentNumber } = parsePerson(requestedBy);
  const requested = [name, documentType, formatNumber(documentType, documentNumber, pending.generation)];
  const { nombreSolicita, tipDocSolicita, numDocSolicita } = motivo;
  if (!isDeepStrictEqual(requested, [nombreSolicita, tipDocSolicita, numDocSolicita])) refuse('requestedBy');
}
