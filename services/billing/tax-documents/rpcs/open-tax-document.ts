// A document for whoever has the link from a mail.

import { fail } from '@clinic/lib/errors/errors.ts';
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { OpenTaxDocumentRequest } from '@clinic/proto/billing/v1/dte_document_pb.js';
import type { App } from '../../app.ts';
import { readDocumentToken } from '../share-token.ts';
import { jsonFile, pdfFile } from '../document-files.ts';
import { readDocument } from '../get-document.ts';

export async function openTaxDocument(app: App, request: OpenTaxDocumentRequest, call: Call) {
  const { clinicId, documentId } = readDocumentToken(app.keys, request.token) ?? fail('NOT_FOUND', 'Document not found');
  const format = parseOneOf('format', request.format, ['pdf', 'json']);
  const row = await readDocument(app, clinicId, call.caller, documentId);
  return format === 'pdf' ? pdfFile(app, clinicId, row) : jsonFile(app, clinicId, row);
}
