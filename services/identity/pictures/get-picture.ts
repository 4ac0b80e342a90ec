// Pictures are served without a token, by random ids. The picture of an id never changes.
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import type { App } from '../app.ts';
import { findPicture } from './pictures.sql.ts';

/** The picture as a file, or NOT_FOUND with `<noun> not found`. */
export async function getPicture(app: App, id: string, noun: string) {
  if (!isUuid(id)) fail('NOT_FOUND', `${noun} not found`);
  const { content, content_type } = found(await findPicture(app.db, id), noun);
  return { content, contentType: content_type, etag: id.toLowerCase() };
}
