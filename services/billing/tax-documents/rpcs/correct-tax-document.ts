// Makes a rejected document right and hands it over again, under the same code and number.

import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, found, throwIfInvalid } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { CorrectTaxDocumentRequest } from '@clinic/proto/billing/v1/dte_document_pb.js';
import type { App } from '../../app.ts';
import { finish } from '../await-handover.ts';
import { readyIssuer } from '../get-issuer.ts';
import { orNull, readItems, readPayment, readReceiver } from '../parse-order.ts';
import { Decimal } from '../rules/amounts.ts';
import { amountsOf, type Order, orderFault, totalsFor, writeDocument } from '../rules/order.ts';
import { AUTHORITY_AWAY, inContingency } from '../rules/identification.ts';
import { correctionEnds, momentOf } from '../rules/deadlines.ts';
import { tell } from '../to-tax-document.ts';
import { correctDocument, lockDocument, openContent } from '../sql/documents.sql.ts';

export async function correctTaxDocument(app: App, request: CorrectTaxDocumentRequest, call: Call) {
  if (!isUuid(request.id)) fail('NOT_FOUND', 'Document not found');
  const clinicId = clinicOf(call).id;
  await inTenant(app.db, clinicId, async (tx) => {
    const row = found(await lockDocument(tx, request.id), 'Document');
    if (row.status !== 'rejected') fail('DTE_NOT_ALLOWED', 'Only a rejected document is corrected');
    const now = app.clock.now();
    // Rejected, it changes no more: its last change was that.
    if (now > correctionEnds(row.updated_at, app.windows)) fail('DTE_NOT_ALLOWED', 'The time to correct this document is over: issue a new one');
    const { issuer } = await readyIssuer(app, tx);
    const { order: asked } = openContent(app.keys, clinicId, row);
    const order: Order = {
      ...asked,
      ...(request.receiver && { receiver: readReceiver(request.receiver) }),
      ...(request.items.length > 0 && { items: readItems(request.items) }),
      ...(request.payment && { payment: readPayment(request.payment) }),
      ...(request.notes !== undefined && { notes: orNull(request.notes) }),
    };
    throwIfInvalid(orderFault(app.catalogs, row, issuer, order, new Decimal(app.receiverThreshold)));
    const totals = totalsFor(row, issuer, order);
    const { kind, generation, environment, code } = row;
    const head = { kind, generation, environment, code, controlNumber: row.control_number, ...momentOf(row.issued_at) };
    const at = { establishment: row.establishment, code: row.point_of_sale };
    const written = writeDocument(app.catalogs, head, { ...issuer, environment, nit: row.nit }, at, order, totals);
    // What was issued in contingency stays so: the authority was told of it.
    const document = row.contingency_event_id === null ? written : inContingency(written, AUTHORITY_AWAY);
    const corrected = await correctDocument(tx, app.keys, row.id, { order, document, jws: null, before: null }, amountsOf(totals), now);
    if (corrected) await tell(tx, call.caller, corrected, 'tax_document.corrected');
  });
  return finish(app, call, clinicId, request.id);
}
