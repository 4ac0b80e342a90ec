// One document.
import { inTenant, isUuid } from '@clinic/lib/db.ts';
import { fail, found } from '@clinic/lib/errors.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetTaxDocumentRequest } from '@clinic/proto/billing/v1/dte_document_pb.js';
import type { DteApp } from '../../dte/app.ts';
import { showDocument } from '../../dte/show-document.ts';
import { findDocument } from '../../sql/dte/documents.ts';

export async function getTaxDocument(app: DteApp, { id }: GetTaxDocumentRequest, call: Call) {
  if (!isUuid(id)) fail('NOT_FOUND', 'Document not found');
  const clinicId = clinicOf(call).id;
  return showDocument(app, clinicId, found(await inTenant(app.db, clinicId, (tx) => findDocument(tx, id)), 'Document'));
}
