// Pictures are served by their random ids, to everyone who knows one. Their content never changes under an id.
import { readSystem } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import type { App } from '../app.ts';
import { findPictureStatement } from './pictures.sql.ts';

/** The picture as a file, or NOT_FOUND with `<noun> not found`. */
export async function servePicture(app: App, id: string, noun: string) {
  if (!isUuid(id)) fail('NOT_FOUND', `${noun} not found`);
  // As the system: an <img> brings no token, so the clinic is not known.
  const [row] = await readSystem(app.db, findPictureStatement, [id]);
  const { content, content_type } = found(row, noun);
  return { content, contentType: content_type, etag: id.toLowerCase() };
}
