// Sets the caller's photo.
import { reencodePicture } from '@clinic/lib/image/image.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { SetPhotoRequest } from '@clinic/proto/identity/v1/user_pb.js';
import type { App } from '../app.ts';
import { changePhoto } from './change-photo.ts';

export async function setPhoto(app: App, request: SetPhotoRequest, call: Call) {
  return changePhoto(app, call, await reencodePicture(request.content, request.contentType));
}
