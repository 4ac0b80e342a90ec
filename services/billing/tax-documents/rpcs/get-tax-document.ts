// One document: as data, as a PDF, and as the JSON with signature and seal that its receiver gets.
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetTaxDocumentJsonRequest, GetTaxDocumentPdfRequest, GetTaxDocumentRequest } from '@clinic/proto/billing/v1/dte_document_pb.js';
import type { App } from '../../app.ts';
import { toJsonFile, toPdfFile } from '../document-files.ts';
import { getDocument } from '../get-document.ts';
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
