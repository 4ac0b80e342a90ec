// Revokes all links to a document that have been mailed so far, for example to a wrong address.
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { RevokeTaxDocumentLinksRequest } from '@clinic/proto/billing/v1/dte_document_pb.js';
import type { App } from '../../app.ts';
import { revokeLinks } from '../sql/links.sql.ts';

export async function revokeTaxDocumentLinks(app: App, { id }: RevokeTaxDocumentLinksRequest, call: Call) {
  const clinicId = clinicOf(call).id;
  await inTenant(app.db, clinicId, async (tx) => {
    if (!isUuid(id) || !(await revokeLinks(tx, id))) fail('NOT_FOUND', 'Document not found');
    await audit(tx, clinicId, call.caller, { action: 'tax_document.links_revoked', entityId: id });
  });
  return { revoked: true };
}
