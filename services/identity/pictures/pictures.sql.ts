// Pictures of people and clinics. A new one gets a new id, so that nobody is shown the old one from a cache.
import { execute, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import type { Picture } from '@clinic/lib/image/image.ts';

const insertStatement = sql('insert into pictures (clinic_id, id, content, content_type, created_at) values ($1, $2, $3, $4, $5)');

export async function insertPicture(tx: TenantTx, id: string, { content, contentType }: Picture, now: Date): Promise<void> {
  await execute(tx, insertStatement, [tx.clinicId, id, content, contentType, now]);
}

const deleteStatement = sql('delete from pictures where clinic_id = $1 and id = $2');

/** Nothing may refer to it any more. */
export async function deletePicture(tx: TenantTx, id: string): Promise<void> {
  await execute(tx, deleteStatement, [tx.clinicId, id]);
}

/** $1 picture. Who knows the id may look, so the clinic is not asked for: for the system only. */
export const findPictureStatement = sql<{ content: Buffer; content_type: string }>('select content, content_type from pictures where id = $1');
