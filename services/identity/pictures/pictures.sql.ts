// Photos of users and logos of clinics. A new picture gets a new id, so that no cache shows the old one.
import { type Db, execute, readSystem, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import type { Picture } from '@clinic/lib/image/image.ts';

const insertStatement = sql('insert into pictures (clinic_id, id, content, content_type, created_at) values ($1, $2, $3, $4, $5)');

export const insertPicture = (tx: TenantTx, id: string, { content, contentType }: Picture, now: Date) =>
  execute(tx, insertStatement, [tx.clinicId, id, content, contentType, now]);

const deleteStatement = sql('delete from pictures where clinic_id = $1 and id = $2');

/** References to the picture must be removed first. */
export const deletePicture = (tx: TenantTx, id: string) => execute(tx, deleteStatement, [tx.clinicId, id]);

const findStatement = sql<{ content: Buffer; content_type: string }>('select content, content_type from pictures where id = $1');

/** As the system, because an <img> element sends no token. Anyone who knows the random id may fetch the picture. */
export const findPicture = async (db: Db, id: string) => (await readSystem(db, findStatement, [id]))[0];
