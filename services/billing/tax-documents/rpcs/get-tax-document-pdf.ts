// The graphic version of a document.
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetTaxDocumentPdfRequest } from '@clinic/proto/billing/v1/dte_document_pb.js';
import type { App } from '../../app.ts';
import { pdfFile } from '../document-files.ts';
import { readDocument } from '../get-document.ts';

export async function getTaxDocumentPdf(app: App, { id }: GetTaxDocumentPdfRequest, call: Call) {
  const clinicId = clinicOf(call).id;
  return pdfFile(app, clinicId, await readDocument(app, clinicId, call.caller, id));
}
