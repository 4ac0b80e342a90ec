// Mails a document with its files to its receiver, or to another address.
import { randomUUID } from 'node:crypto';
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, found, invalid } from '@clinic/lib/errors/errors.ts';
import { parseEmail } from '@clinic/lib/formats/email.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { SendTaxDocumentRequest } from '@clinic/proto/billing/v1/dte_document_pb.js';
import type { App } from '../../app.ts';
import { decryptProfile } from '../get-issuer.ts';
import { mailDocument } from '../mail-tax-document.ts';
import { decryptContent, findDocument } from '../sql/documents.sql.ts';
import { findIssuer } from '../sql/issuers.sql.ts';

export async function sendTaxDocument(app: App, request: SendTaxDocumentRequest, call: Call) {
  if (!isUuid(request.id)) fail('NOT_FOUND', 'Document not found');
  const clinicId = clinicOf(call).id;
  const [row, issuerRow] = await inTenant(
    app.db,
    clinicId,
    async (tx) => [found(await findDocument(tx, request.id), 'Document'), found(await findIssuer(tx), 'Issuer')] as const,
  );
  if (row.status === 'pending' || row.status === 'rejected') fail('DTE_NOT_ALLOWED', 'Only an issued document can be sent');
  const { receiver } = decryptContent(app.keys, clinicId, row).order;
  const to = parseEmail('email', request.email?.trim() || receiver?.email || invalid('email', 'is required: the receiver has none'));
  await mailDocument(app, clinicId, row, {
    issuer: decryptProfile(app, issuerRow),
    to,
    reference: `${row.id}:${randomUUID()}`,
    requestId: call.caller.requestId,
  });
  await inTenant(app.db, clinicId, (tx) => audit(tx, clinicId, call.caller, { action: 'tax_document.sent', entityId: row.id }));
  return { sent: true };
}
