// Creates the thumbnails of uploaded images, and deletes unfinished uploads and the contents of deleted files.
import { encrypt } from '@clinic/lib/crypto/crypto.ts';
import { asSystem, inTenant } from '@clinic/lib/db/db.ts';
import { makeThumbnail } from '@clinic/lib/image/image.ts';
import { job } from '@clinic/lib/jobs/jobs.ts';
import type { App } from '../app.ts';
import { objectKey, thumbnailContext } from './content-keys.ts';
import { openContent } from './download-file.ts';
import { type DeletedRow, deleteUnstored, findContentById, forgetDeleted, listDeleted, setThumbnail } from './files.sql.ts';

/** One at a time: an image is decoded as a whole. */
export const MAKE_THUMBNAIL = 'make-thumbnail';

export const makeThumbnailJob = (app: App) =>
  job<{ clinicId: string; fileId: string }>(MAKE_THUMBNAIL, { retries: 5, limitSeconds: 120 }, async ({ clinicId, fileId }) => {
    const file = await findContentById(app.db, clinicId, fileId);
    if (!file || file.thumbnail_sealed) return;
    const thumbnail = await makeThumbnail(Buffer.concat(await Array.fromAsync(openContent(app, clinicId, file))));
    if (!thumbnail) return; // an image that cannot be decoded stays a file without a thumbnail
    const ciphertext = encrypt(app.keys, thumbnail.toString('base64'), thumbnailContext(clinicId, fileId));
    await inTenant(app.db, clinicId, (tx) => setThumbnail(tx, fileId, ciphertext));
  });

const BATCH = 100;
/** Longer than any upload takes. */
const UPLOAD_MS = 3_600_000;

/** A content that cannot be deleted does not delay the others, unless there are many: then the store is probably unavailable. The job fails at the end. */
export const deleteFilesJob = ({ db, clock, files, log }: Pick<App, 'db' | 'clock' | 'files' | 'log'>) =>
  job('delete-files', { cron: '*/5 * * * *' }, async () => {
    // As the system: files of all clinics.
    await asSystem(db, (tx) => deleteUnstored(tx, new Date(clock.now().getTime() - UPLOAD_MS)));
    const remove = async (one: DeletedRow) => {
      await files.delete(objectKey(one.clinic_id, one.id));
      await asSystem(db, (tx) => forgetDeleted(tx, one));
    };
    let failed = 0;
    let deleted: DeletedRow[];
    do {
      deleted = await asSystem(db, (tx) => listDeleted(tx, BATCH, failed));
      for (const one of deleted) {
        await remove(one).catch((error: unknown) => {
          failed++;
          log.warn({ err: error, clinicId: one.clinic_id, fileId: one.id }, 'the content of a deleted file could not be deleted; the next run tries again');
        });
      }
    } while (deleted.length === BATCH && failed < BATCH);
    if (failed > 0) throw new Error(`the contents of ${failed} deleted files could not be deleted`);
  });
