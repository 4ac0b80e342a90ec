// Serves a photo to everyone who knows its URL.
import type { GetPhotoRequest } from '@clinic/proto/identity/v1/user_pb.js';
import type { App } from '../app.ts';
import { getPicture } from '../pictures/get-picture.ts';

export async function getPhoto(app: App, request: GetPhotoRequest) {
  return getPicture(app, request.id, 'Photo');
}
