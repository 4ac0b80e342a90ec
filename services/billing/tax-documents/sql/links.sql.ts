// Revocations of the links by which receivers open documents.
import { type Db, execute, readTenant, sql, type TenantTx } from '@clinic/lib/db/db.ts';

/** `revocations`: how often the links were revoked. */
const findStatement = sql<{ issued_at: Date; revocations: number }>(`
  select issued_at, coalesce(times, 0) as revocations
  from dte_documents document left join dte_link_revocations link on (link.clinic_id, link.document_id) = (document.clinic_id, document.id)
  where document.clinic_id = $1 and document.id = $2`);

export const findLinkState = async (db: Db, clinicId: string, documentId: string) => (await readTenant(db, clinicId, findStatement, [clinicId, documentId]))[0];

const revokeStatement = sql(`
  insert into dte_link_revocations as known (clinic_id, document_id, times) select clinic_id, id, 1 from dte_documents where clinic_id = $1 and id = $2
  on conflict (clinic_id, document_id) do update set times = known.times + 1`);

/** False when the clinic has no such document. */
export const revokeLinks = async (tx: TenantTx, documentId: string) => (await execute(tx, revokeStatement, [tx.clinicId, documentId])) > 0;
