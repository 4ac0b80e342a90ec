// Thumbnails of images, made after the upload, one at a time: an image is decoded as a whole.
import { encrypt } from '@clinic/lib/crypto/crypto.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { makeThumbnail } from '@clinic/lib/image/image.ts';
import { job } from '@clinic/lib/jobs/jobs.ts';
import type { App } from '../app.ts';
import { thumbnailContext } from './content-keys.ts';
import { openContent } from './download-file.ts';
import { findContentById, setThumbnail } from './files.sql.ts';

export const MAKE_THUMBNAIL = 'make-thumbnail';

export const makeThumbnailJob = (app: App) =>
  job<{ clinicId: string; fileId: string }>(MAKE_THUMBNAIL, { retries: 5, limitSeconds: 120 }, async ({ clinicId, fileId }) => {
    const file = await findContentById(app.db, clinicId, fileId);
    if (!file || file.thumbnail_sealed) return;
    const thumbnail = await makeThumbnail(Buffer.concat(await Array.fromAsync(openContent(app, clinicId, file))));
    if (!thumbnail) return; // it cannot be decoded, which does not make it useless as a file
    const ciphertext = encrypt(app.keys, thumbnail.toString('base64'), thumbnailContext(clinicId, fileId));
    await inTenant(app.db, clinicId, (tx) => setThumbnail(tx, fileId, ciphertext));
  });
