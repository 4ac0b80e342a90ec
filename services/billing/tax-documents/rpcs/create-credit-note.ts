// Takes back a crédito fiscal, or a part of it, by a nota de crédito. Notes together never take back more than there is.
import type { TenantTx } from '@clinic/lib/db/db.ts';
import { fail, found, invalid } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { idempotent } from '@clinic/lib/rpc/idempotency.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import { type CreateCreditNoteRequest, TaxDocumentService } from '@clinic/proto/billing/v1/dte_document_pb.js';
import type { App } from '../../app.ts';
import { finish } from '../await-handover.ts';
import { issue } from '../issue-document.ts';
import { readyIssuer } from '../get-issuer.ts';
import { orNull, readItems } from '../parse-order.ts';
import { fromCents, toCents } from '../rules/amounts.ts';
import { itemsFault, totalsOf } from '../rules/totals.ts';
import type { Order } from '../rules/order.ts';
import { type DocumentRow, listNotesOf, lockDocument, openContent } from '../sql/documents.sql.ts';

export async function createCreditNote(app: App, request: CreateCreditNoteRequest, call: Call) {
  if (!isUuid(request.id)) fail('NOT_FOUND', 'Document not found');
  const clinicId = clinicOf(call).id;
  const { id = '' } = await idempotent(app.db, call, TaxDocumentService.method.createCreditNote, request, async (tx) => {
    const row = found(await lockDocument(tx, request.id), 'Document');
    if (row.kind !== '03' || row.status !== 'processed') fail('DTE_NOT_ALLOWED', 'A note takes back a sealed crédito fiscal that is not invalidated');
    const { order } = openContent(app.keys, clinicId, row);
    const items = request.items.length > 0 ? readItems(request.items) : order.items;
    await checkLeft(tx, row, items);
    const asked: Order = { ...order, items, notes: orNull(request.notes), of: { code: row.code, day: row.issued_on } };
    const { patient_id: patientId, appointment_id: appointmentId } = row;
    const at = { establishment: row.establishment, code: row.point_of_sale };
    const note = { kind: '05' as const, order: asked, at, patientId, appointmentId, paymentId: null, relatedId: row.id };
    return { id: await issue(app, tx, call.caller, await readyIssuer(app, tx), note) };
  });
  return finish(app, call, clinicId, id);
}

/** The crédito fiscal is locked, so no other note comes between. */
async function checkLeft(tx: TenantTx, row: DocumentRow, items: Order['items']): Promise<void> {
  if (itemsFault(items)) return; // issue() says what it is
  const left = (await listNotesOf(tx, row.id)).reduce((cents, note) => cents - note.sales_cents, row.sales_cents);
  if (toCents(totalsOf('05', items, false).sales) > left)
    invalid('items', `must not come to more than ${fromCents(left).toFixed(2)}, which is left of the document`);
}
