// A document for whoever has the link from a mail.
import { checkOneOf } from '@clinic/lib/check.ts';
import { inTenant } from '@clinic/lib/db.ts';
import { fail, found } from '@clinic/lib/errors.ts';
import type { OpenTaxDocumentRequest } from '@clinic/proto/billing/v1/dte_document_pb.js';
import type { DteApp } from '../../dte/app.ts';
import { readDocumentToken } from '../../dte/document-token.ts';
import { jsonFile, pdfFile } from '../../dte/files.ts';
import { findDocument } from '../../sql/dte/documents.ts';

export async function openTaxDocument(app: DteApp, request: OpenTaxDocumentRequest) {
  const { clinicId, documentId } = readDocumentToken(app.keys, request.token) ?? fail('NOT_FOUND', 'Document not found');
  const format = checkOneOf('format', request.format, ['pdf', 'json']);
  const row = found(await inTenant(app.db, clinicId, (tx) => findDocument(tx, documentId)), 'Document');
  return format === 'pdf' ? pdfFile(app, clinicId, row) : jsonFile(app, clinicId, row);
}
