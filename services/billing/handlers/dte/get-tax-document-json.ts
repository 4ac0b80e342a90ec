// The document as the receiver gets it.
import { inTenant, isUuid } from '@clinic/lib/db.ts';
import { fail, found } from '@clinic/lib/errors.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetTaxDocumentJsonRequest } from '@clinic/proto/billing/v1/dte_document_pb.js';
import type { DteApp } from '../../dte/app.ts';
import { jsonFile } from '../../dte/files.ts';
import { findDocument } from '../../sql/dte/documents.ts';

export async function getTaxDocumentJson(app: DteApp, { id }: GetTaxDocumentJsonRequest, call: Call) {
  if (!isUuid(id)) fail('NOT_FOUND', 'Document not found');
  const clinicId = clinicOf(call).id;
  return jsonFile(app, clinicId, found(await inTenant(app.db, clinicId, (tx) => findDocument(tx, id)), 'Document'));
}
