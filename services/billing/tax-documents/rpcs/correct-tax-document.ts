// Corrects a rejected document and hands it over again, under the same code and number.
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, found, throwIfInvalid } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { CorrectTaxDocumentRequest } from '@clinic/proto/billing/v1/dte_document_pb.js';
import type { App } from '../../app.ts';
import { awaitHandover } from '../await-handover.ts';
import { checkRemaining, getRemaining } from '../credit-limit.ts';
import { getReadyIssuer, refuseOtherTaxpayer } from '../get-issuer.ts';
import { continueAfterKill } from '../hand-over.ts';
import { orNull, parseItems, parsePayment, parseReceiver } from '../parse-order.ts';
import { Decimal } from '../rules/amounts.ts';
import { buildDocument } from '../rules/build-document.ts';
import { correctionDeadline, localMoment } from '../rules/deadlines.ts';
import { AUTHORITY_UNAVAILABLE, inContingency } from '../rules/identification.ts';
import { type Order, orderFault, partsFault, toAmountColumns, totalsFor } from '../rules/order.ts';
import { correctDocument, decryptContent, findDocument, lockDocument, lockDocuments } from '../sql/documents.sql.ts';
import { publishChange } from '../to-tax-document.ts';

export async function correctTaxDocument(app: App, request: CorrectTaxDocumentRequest, call: Call) {
  if (!isUuid(request.id)) fail('NOT_FOUND', 'Document not found');
  const clinicId = clinicOf(call).id;
  const changes = {
    ...(request.receiver && { receiver: parseReceiver(request.receiver) }),
    ...(request.items.length > 0 && { items: parseItems(request.items) }),
    ...(request.payment && { payment: parsePayment(request.payment) }),
    ...(request.notes !== undefined && { notes: orNull(request.notes) }),
  };
  throwIfInvalid(partsFault(app.catalogs, { ...changes, payment: undefined })); // the payment is checked later: a nota de crédito has none
  await inTenant(app.db, clinicId, async (tx) => {
    const { related_id: relatedId } = found(await findDocument(tx, request.id), 'Document');
    await lockDocuments(tx, relatedId === null ? [request.id] : [request.id, relatedId]);
    const row = found(await lockDocument(tx, request.id), 'Document');
    if (row.status !== 'rejected') fail('DTE_NOT_ALLOWED', 'Only a rejected document can be corrected');
    const now = app.clock.now();
    // The rejection was its last change.
    if (now > correctionDeadline(row.updated_at, app.deadlines))
      fail('DTE_NOT_ALLOWED', 'The deadline for correcting this document has passed: issue a new one');
    const ready = await getReadyIssuer(app, tx);
    refuseOtherTaxpayer(row, ready);
    const { issuer } = ready;
    const { order: rejected } = decryptContent(app.keys, clinicId, row);
    const order: Order = { ...rejected, ...changes };
    if (relatedId !== null) checkRemaining(await getRemaining(tx, found(await lockDocument(tx, relatedId), 'Document')), order.items);
    throwIfInvalid(orderFault(app.catalogs, row, issuer, order, new Decimal(app.receiverThreshold)));
    const totals = totalsFor(row, issuer, order);
    const { kind, generation, environment, code } = row;
    const head = { kind, generation, environment, code, controlNumber: row.control_number, ...localMoment(row.issued_at) };
    const pointOfSale = { establishment: row.establishment, code: row.point_of_sale };
    const built = buildDocument(app.catalogs, head, { ...issuer, environment }, pointOfSale, order, totals);
    // A document that was reported to the authority as issued in contingency stays in contingency.
    const document = row.contingency_event_id === null ? built : inContingency(built, AUTHORITY_UNAVAILABLE);
    const corrected = await correctDocument(tx, app.keys, row.id, { order, document, jws: null, before: null }, toAmountColumns(totals), now);
    await publishChange(tx, call.caller, corrected, 'tax_document.corrected');
    await continueAfterKill(tx, row.id);
  });
  return awaitHandover(app, call, clinicId, request.id);
}
