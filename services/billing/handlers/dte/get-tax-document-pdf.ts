// The graphic version of a document.
import { inTenant, isUuid } from '@clinic/lib/db.ts';
import { fail, found } from '@clinic/lib/errors.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetTaxDocumentPdfRequest } from '@clinic/proto/billing/v1/dte_document_pb.js';
import type { DteApp } from '../../dte/app.ts';
import { pdfFile } from '../../dte/files.ts';
import { findDocument } from '../../sql/dte/documents.ts';

export async function getTaxDocumentPdf(app: DteApp, { id }: GetTaxDocumentPdfRequest, call: Call) {
  if (!isUuid(id)) fail('NOT_FOUND', 'Document not found');
  const clinicId = clinicOf(call).id;
  return pdfFile(app, clinicId, found(await inTenant(app.db, clinicId, (tx) => findDocument(tx, id)), 'Document'));
}
