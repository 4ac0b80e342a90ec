// Issues a nota de crédito for a crédito fiscal or a part of it. All notes together never exceed the amount of the document.
import type { TenantTx } from '@clinic/lib/db/db.ts';
import { fail, found, invalid } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { idempotent } from '@clinic/lib/rpc/idempotency.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import { type CreateCreditNoteRequest, TaxDocumentService } from '@clinic/proto/billing/v1/dte_document_pb.js';
import type { App } from '../../app.ts';
import { awaitHandover } from '../await-handover.ts';
import { getReadyIssuer } from '../get-issuer.ts';
import { issueDocument } from '../issue-document.ts';
import { orNull, parseItems } from '../parse-order.ts';
import { fromCents, toCents } from '../rules/amounts.ts';
import type { Order } from '../rules/order.ts';
import { itemsFault, totalsOf } from '../rules/totals.ts';
import { type DocumentRow, decryptContent, listNotesOf, lockDocument } from '../sql/documents.sql.ts';

export async function createCreditNote(app: App, request: CreateCreditNoteRequest, call: Call) {
  if (!isUuid(request.id)) fail('NOT_FOUND', 'Document not found');
  const clinicId = clinicOf(call).id;
  const { id = '' } = await idempotent(app.db, call, TaxDocumentService.method.createCreditNote, request, async (tx) => {
    const row = found(await lockDocument(tx, request.id), 'Document');
    if (row.kind !== '03' || row.status !== 'processed') fail('DTE_NOT_ALLOWED', 'A nota de crédito needs a sealed crédito fiscal that is not invalidated');
    const { order } = decryptContent(app.keys, clinicId, row);
    const items = request.items.length > 0 ? parseItems(request.items) : order.items;
    await checkRemaining(tx, row, items);
    const noteOrder: Order = { ...order, items, notes: orNull(request.notes), of: { code: row.code, day: row.issued_on } };
    const { patient_id: patientId, appointment_id: appointmentId } = row;
    const pointOfSale = { establishment: row.establishment, code: row.point_of_sale };
    const note = { kind: '05' as const, order: noteOrder, pointOfSale, patientId, appointmentId, paymentId: null, relatedId: row.id };
    return { id: await issueDocument(app, tx, call.caller, await getReadyIssuer(app, tx), note) };
  });
  return awaitHandover(app, call, clinicId, id);
}

/** The row of the crédito fiscal is locked, so no other note is issued at the same time. */
async function checkRemaining(tx: TenantTx, row: DocumentRow, items: Order['items']): Promise<void> {
  if (itemsFault(items)) return; // issueDocument() reports it
  const left = (await listNotesOf(tx, row.id)).reduce((cents, note) => cents - note.sales_cents, row.sales_cents);
  if (toCents(totalsOf('05', items, false).sales) > left)
    invalid('items', `must not add up to more than ${fromCents(left).toFixed(2)}, what the document has left`);
}
