// Issues a nota de crédito for a crédito fiscal: for the requested items, or for all that earlier notes have left.
import { fail, found, throwIfInvalid } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { idempotent } from '@clinic/lib/rpc/idempotency.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import { type CreateCreditNoteRequest, TaxDocumentService } from '@clinic/proto/billing/v1/dte_document_pb.js';
import type { App } from '../../app.ts';
import { awaitHandover } from '../await-handover.ts';
import { checkRemaining, getRemaining } from '../credit-limit.ts';
import { getReadyIssuer, refuseOtherTaxpayer } from '../get-issuer.ts';
import { issueDocument } from '../issue-document.ts';
import { orNull, parseItems } from '../parse-order.ts';
import { type Order, partsFault } from '../rules/order.ts';
import { restOf } from '../rules/totals.ts';
import { decryptContent, lockDocument } from '../sql/documents.sql.ts';
import { lockIssuerKey } from '../sql/issuers.sql.ts';

export async function createCreditNote(app: App, request: CreateCreditNoteRequest, call: Call) {
  if (!isUuid(request.id)) fail('NOT_FOUND', 'Document not found');
  const clinicId = clinicOf(call).id;
  const requested = request.items.length > 0 ? parseItems(request.items) : undefined;
  const notes = orNull(request.notes);
  throwIfInvalid(partsFault(app.catalogs, { items: requested, notes }, '05'));
  const { id = '' } = await idempotent(app.db, call, TaxDocumentService.method.createCreditNote, request, async (tx) => {
    await lockIssuerKey(tx);
    const row = found(await lockDocument(tx, request.id), 'Document');
    const ready = await getReadyIssuer(app, tx);
    if (row.environment !== ready.issuer.environment) fail('DTE_NOT_ALLOWED', 'The document was issued in another environment of the tax authority');
    refuseOtherTaxpayer(row, ready);
    const left = await getRemaining(tx, row);
    const { order } = decryptContent(app.keys, clinicId, row);
    const items = requested ?? (left === row.sales_cents ? order.items : [restOf(order.items, left, row.control_number)]);
    checkRemaining(left, items);
    const noteOrder: Order = { ...order, items, notes, of: { code: row.code, day: row.issued_on } };
    const { patient_id: patientId, appointment_id: appointmentId } = row;
    // The issuer's first point of sale takes the place of one that was removed.
    const pointOfSale = ready.points.find(({ establishment, code }) => establishment === row.establishment && code === row.point_of_sale);
    const note = { kind: '05' as const, order: noteOrder, pointOfSale, patientId, appointmentId, paymentId: null, relatedId: row.id };
    return { id: await issueDocument(app, tx, call.caller, ready, note) };
  });
  return awaitHandover(app, call, clinicId, id);
}
