// A document as PDF.
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetTaxDocumentPdfRequest } from '@clinic/proto/billing/v1/dte_document_pb.js';
import type { App } from '../../app.ts';
import { toPdfFile } from '../document-files.ts';
import { getDocument } from '../get-document.ts';

export async function getTaxDocumentPdf(app: App, { id }: GetTaxDocumentPdfRequest, call: Call) {
  const clinicId = clinicOf(call).id;
  return toPdfFile(app, clinicId, await getDocument(app, clinicId, call.caller, id));
}
