// A document as a file, for anyone with the link from a mail.
import { fail } from '@clinic/lib/errors/errors.ts';
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { OpenTaxDocumentRequest } from '@clinic/proto/billing/v1/dte_document_pb.js';
import type { App } from '../../app.ts';
import { toJsonFile, toPdfFile } from '../document-files.ts';
import { getDocument } from '../get-document.ts';
import { decodeShareToken } from '../share-token.ts';

export async function openTaxDocument(app: App, request: OpenTaxDocumentRequest, call: Call) {
  const { clinicId, documentId } = decodeShareToken(app.keys, request.token) ?? fail('NOT_FOUND', 'Document not found');
  const format = parseOneOf('format', request.format, ['pdf', 'json']);
  const row = await getDocument(app, clinicId, call.caller, documentId);
  return format === 'pdf' ? toPdfFile(app, clinicId, row) : toJsonFile(app, clinicId, row);
}
