// Canned replies: texts that the staff send often.
import { alphabetical } from '@clinic/lib/db/alphabetical.ts';
import { type Db, execute, getRow, readTenant, row, sql, type TenantTx } from '@clinic/lib/db/db.ts';

type CannedReplyRow = { clinic_id: string; id: string; title: string; body: string; created_at: Date; updated_at: Date };

const COLUMNS = 'clinic_id, id, title, body, created_at, updated_at';

const listStatement = sql<CannedReplyRow>(`select ${COLUMNS} from canned_replies where clinic_id = $1 order by ${alphabetical('title')}, id`);

export const listCannedReplies = (db: Db, clinicId: string) => readTenant(db, clinicId, listStatement, [clinicId]);

const lockStatement = sql<CannedReplyRow>(`select ${COLUMNS} from canned_replies where clinic_id = $1 and id = $2 for update`);

export const lockCannedReply = (tx: TenantTx, id: string) => row(tx, lockStatement, [tx.clinicId, id]);

const insertStatement = sql<CannedReplyRow>(`
  insert into canned_replies (clinic_id, id, title, body, created_at, updated_at) values ($1, $2, $3, $4, $5, $5) returning ${COLUMNS}`);

/** Violates canned_replies_title_unique when the clinic has a reply with this title. */
export const insertCannedReply = (tx: TenantTx, id: string, { title, body }: { title: string; body: string }, now: Date) =>
  getRow(tx, insertStatement, [tx.clinicId, id, title, body, now]);

const updateStatement = sql<CannedReplyRow>(`
  update canned_replies set title = $3, body = $4, updated_at = $5 where clinic_id = $1 and id = $2 returning ${COLUMNS}`);

/** The caller must have locked the reply. */
export const updateCannedReply = (tx: TenantTx, id: string, { title, body }: { title: string; body: string }, now: Date) =>
  getRow(tx, updateStatement, [tx.clinicId, id, title, body, now]);

const deleteStatement = sql('delete from canned_replies where clinic_id = $1 and id = $2');

export const deleteCannedReply = async (tx: TenantTx, id: string) => (await execute(tx, deleteStatement, [tx.clinicId, id])) > 0;
