// Sets the clinic's logo, as PNG because PDF documents contain it.
import { reencodePicture } from '@clinic/lib/image/image.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { SetLogoRequest } from '@clinic/proto/identity/v1/settings_pb.js';
import type { App } from '../app.ts';
import { changeLogo } from './change-logo.ts';

export async function setLogo(app: App, request: SetLogoRequest, call: Call) {
  return changeLogo(app, call, await reencodePicture(request.content, request.contentType, 'png'));
}
