// The document as the receiver gets it.
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetTaxDocumentJsonRequest } from '@clinic/proto/billing/v1/dte_document_pb.js';
import type { App } from '../../app.ts';
import { jsonFile } from '../document-files.ts';
import { readDocument } from '../get-document.ts';

export async function getTaxDocumentJson(app: App, { id }: GetTaxDocumentJsonRequest, call: Call) {
  const clinicId = clinicOf(call).id;
  return jsonFile(app, clinicId, await readDocument(app, clinicId, call.caller, id));
}
