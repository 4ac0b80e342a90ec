// Reads a document of the clinic for a caller.
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import type { Caller } from '@clinic/lib/rpc/caller.ts';
import type { App } from '../app.ts';
import { type DocumentRow, decryptContent, findDocument } from './sql/documents.sql.ts';

/** Throws NOT_FOUND when the clinic has no such document. The audit log records the reading of a document with an identity number, which may be a national id. */
export async function getDocument(app: App, clinicId: string, caller: Caller, id: string): Promise<DocumentRow> {
  if (!isUuid(id)) fail('NOT_FOUND', 'Document not found');
  return inTenant(app.db, clinicId, async (tx) => {
    const row = found(await findDocument(tx, id), 'Document');
    if (decryptContent(app.keys, clinicId, row).order.receiver?.documentNumber)
      await audit(tx, clinicId, caller, { action: 'tax_document.read', entityId: row.id });
    return row;
  });
}
