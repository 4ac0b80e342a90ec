// Serves a logo to everyone who knows its URL.
import type { GetLogoRequest } from '@clinic/proto/identity/v1/settings_pb.js';
import type { App } from '../app.ts';
import { getPicture } from '../pictures/get-picture.ts';

export async function getLogo(app: App, request: GetLogoRequest) {
  return getPicture(app, request.id, 'Logo');
}
