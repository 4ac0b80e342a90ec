// Removes a doctor's photo.
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { RemoveDoctorPhotoRequest } from '@clinic/proto/scheduling/v1/photo_pb.js';
import type { App } from '../app.ts';
import { changeDoctorPhoto } from './change-doctor-photo.ts';

export async function removeDoctorPhoto(app: App, request: RemoveDoctorPhotoRequest, call: Call) {
  return changeDoctorPhoto(app, call, request.id, undefined);
}
