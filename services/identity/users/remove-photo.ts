// Removes the caller's photo.
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { RemovePhotoRequest } from '@clinic/proto/identity/v1/user_pb.js';
import type { App } from '../app.ts';
import { changePhoto } from './change-photo.ts';

export async function removePhoto(app: App, _request: RemovePhotoRequest, call: Call) {
  return changePhoto(app, call, undefined);
}
