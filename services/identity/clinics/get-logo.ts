// Serves a logo to everyone who knows its address.
import type { GetLogoRequest } from '@clinic/proto/identity/v1/settings_pb.js';
import type { App } from '../app.ts';
import { servePicture } from '../pictures/serve-picture.ts';

export async function getLogo(app: App, request: GetLogoRequest) {
  return servePicture(app, request.id, 'Logo');
}
