// Serves a doctor's photo to everyone who knows its address. The content under an id never changes.
import { found } from '@clinic/lib/errors/errors.ts';
import type { GetDoctorPhotoRequest } from '@clinic/proto/scheduling/v1/photo_pb.js';
import type { App } from '../app.ts';
import { findPhoto } from './doctor-photos.sql.ts';

export async function getDoctorPhoto(app: App, request: GetDoctorPhotoRequest) {
  const { content, content_type } = found(await findPhoto(app.db, request.id), 'Photo');
  return { content, contentType: content_type, etag: request.id.toLowerCase() };
}
