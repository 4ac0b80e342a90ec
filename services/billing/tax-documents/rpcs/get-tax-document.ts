// One document: with its content, as PDF, and as the receiver gets it, JSON with signature and seal.
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import type { Caller } from '@clinic/lib/rpc/caller.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetTaxDocumentJsonRequest, GetTaxDocumentPdfRequest, GetTaxDocumentRequest } from '@clinic/proto/billing/v1/dte_document_pb.js';
import type { App } from '../../app.ts';
import { toJsonFile, toPdfFile } from '../document-files.ts';
import { type DocumentRow, decryptContent, findDocument } from '../sql/documents.sql.ts';
import { toTaxDocument } from '../to-tax-document.ts';

export async function getTaxDocument(app: App, { id }: GetTaxDocumentRequest, call: Call) {
  const clinicId = clinicOf(call).id;
  return toTaxDocument(app, clinicId, await getDocument(app, clinicId, call.caller, id));
}

export async function getTaxDocumentPdf(app: App, { id }: GetTaxDocumentPdfRequest, call: Call) {
  const clinicId = clinicOf(call).id;
  return toPdfFile(app, clinicId, await getDocument(app, clinicId, call.caller, id));
}

export async function getTaxDocumentJson(app: App, { id }: GetTaxDocumentJsonRequest, call: Call) {
  const clinicId = clinicOf(call).id;
  return toJsonFile(app, clinicId, await getDocument(app, clinicId, call.caller, id));
}

/** Throws NOT_FOUND when the clinic has no such document. It may contain a national id, so the audit log records that it was read. */
export async function getDocument(app: App, clinicId: string, caller: Caller, id: string): Promise<DocumentRow> {
  if (!isUuid(id)) fail('NOT_FOUND', 'Document not found');
  return inTenant(app.db, clinicId, async (tx) => {
    const row = found(await findDocument(tx, id), 'Document');
    if (decryptContent(app.keys, clinicId, row).order.receiver?.documentNumber)
      await audit(tx, clinicId, caller, { action: 'tax_document.read', entityId: row.id });
    return row;
  });
}
