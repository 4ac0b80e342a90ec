// Serves a photo to everyone who knows its address. Its content never changes under an id.
import { readSystem } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import type { GetDoctorPhotoRequest } from '@clinic/proto/scheduling/v1/photo_pb.js';
import type { App } from '../app.ts';
import { findPhotoStatement } from './doctor-photos.sql.ts';

export async function getDoctorPhoto(app: App, request: GetDoctorPhotoRequest) {
  if (!isUuid(request.id)) fail('NOT_FOUND', 'Photo not found');
  // As the system: an <img> brings no token, so the clinic is not known.
  const [row] = await readSystem(app.db, findPhotoStatement, [request.id]);
  const { content, content_type } = found(row, 'Photo');
  return { content, contentType: content_type, etag: request.id.toLowerCase() };
}
