// Sets a doctor's photo.
import { isUuid } from '@clinic/lib/db.ts';
import { fail } from '@clinic/lib/errors.ts';
import { redraw } from '@clinic/lib/image.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { SetDoctorPhotoRequest } from '@clinic/proto/scheduling/v1/photo_pb.js';
import type { App } from '../app.ts';
import { changeDoctorPhoto } from '../change-doctor-photo.ts';

export async function setDoctorPhoto(app: App, request: SetDoctorPhotoRequest, call: Call) {
  if (!isUuid(request.id)) fail('NOT_FOUND', 'Doctor not found');
  return changeDoctorPhoto(app, call, request.id, await redraw(request.content, request.contentType));
}
