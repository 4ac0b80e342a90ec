// Serves a photo to everyone who knows its address.
import type { GetPhotoRequest } from '@clinic/proto/identity/v1/user_pb.js';
import type { App } from '../app.ts';
import { servePicture } from '../pictures/serve-picture.ts';

export async function getPhoto(app: App, request: GetPhotoRequest) {
  return servePicture(app, request.id, 'Photo');
}
