// A document as the receiver gets it: JSON with signature and seal.
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetTaxDocumentJsonRequest } from '@clinic/proto/billing/v1/dte_document_pb.js';
import type { App } from '../../app.ts';
import { toJsonFile } from '../document-files.ts';
import { getDocument } from '../get-document.ts';

export async function getTaxDocumentJson(app: App, { id }: GetTaxDocumentJsonRequest, call: Call) {
  const clinicId = clinicOf(call).id;
  return toJsonFile(app, clinicId, await getDocument(app, clinicId, call.caller, id));
}
