// Photos of doctors, one each. A new photo has a new id, so that no cache serves the old one.
import { type Db, execute, readSystem, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import type { Picture } from '@clinic/lib/image/image.ts';

const deleteStatement = sql('delete from doctor_photos where clinic_id = $1 and doctor_id = $2');
const insertStatement = sql(`
  insert into doctor_photos (clinic_id, id, doctor_id, content, content_type, created_at) values ($1, $2, $3, $4, $5, $6)`);
const setPhotoStatement = sql('update doctors set photo_id = $3, photo_url = null, updated_at = $4 where clinic_id = $1 and id = $2');

/** Replaces the photo and any photo_url; undefined removes it. */
export async function replacePhoto(tx: TenantTx, doctorId: string, photo: { id: string; picture: Picture } | undefined, now: Date): Promise<void> {
  await Promise.all([
    execute(tx, deleteStatement, [tx.clinicId, doctorId]),
    photo && execute(tx, insertStatement, [tx.clinicId, photo.id, doctorId, photo.picture.content, photo.picture.contentType, now]),
    execute(tx, setPhotoStatement, [tx.clinicId, doctorId, photo?.id ?? null, now]),
  ]);
}

const findStatement = sql<{ content: Buffer; content_type: string }>('select content, content_type from doctor_photos where id = $1');

/** As the system: an <img> element sends no token, so the clinic is unknown. The random id is the permission. */
export const findPhoto = async (db: Db, id: string) => (isUuid(id) ? (await readSystem(db, findStatement, [id]))[0] : undefined);
