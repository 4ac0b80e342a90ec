// One document with its content.
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetTaxDocumentRequest } from '@clinic/proto/billing/v1/dte_document_pb.js';
import type { App } from '../../app.ts';
import { getDocument } from '../get-document.ts';
import { toTaxDocument } from '../to-tax-document.ts';

export async function getTaxDocument(app: App, { id }: GetTaxDocumentRequest, call: Call) {
  const clinicId = clinicOf(call).id;
  return toTaxDocument(app, clinicId, await getDocument(app, clinicId, call.caller, id));
}
