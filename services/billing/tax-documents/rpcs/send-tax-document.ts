// Mails a document with its files to the receiver, or to whom the desk says.
import { randomUUID } from 'node:crypto';
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, found, invalid } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { SendTaxDocumentRequest } from '@clinic/proto/billing/v1/dte_document_pb.js';
import type { App } from '../../app.ts';
import { mailDocument } from '../mail-document.ts';
import { readyIssuer } from '../get-issuer.ts';
import { findDocument, openContent } from '../sql/documents.sql.ts';

const ADDRESS = /^[^\s@<>,;"]+@[^\s@<>,;"]+$/;

export async function sendTaxDocument(app: App, request: SendTaxDocumentRequest, call: Call) {
  if (!isUuid(request.id)) fail('NOT_FOUND', 'Document not found');
  const clinicId = clinicOf(call).id;
  const [row, { issuer }] = await inTenant(
    app.db,
    clinicId,
    async (tx) => [found(await findDocument(tx, request.id), 'Document'), await readyIssuer(app, tx)] as const,
  );
  if (row.status === 'pending' || row.status === 'rejected') fail('DTE_NOT_ALLOWED', 'Only a document that is issued is sent');
  const { receiver } = openContent(app.keys, clinicId, row).order;
  const to = request.email?.trim() || receiver?.email || invalid('email', 'is required: the receiver has none');
  if (!ADDRESS.test(to)) invalid('email', 'must be an e-mail address');
  await mailDocument(app, clinicId, row, { issuer, to, reference: `${row.id}:${randomUUID()}`, requestId: call.caller.requestId });
  await inTenant(app.db, clinicId, (tx) => audit(tx, clinicId, call.caller, { action: 'tax_document.sent', entityId: row.id }));
  return { sent: true };
}
