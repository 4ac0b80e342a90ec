// Sets a doctor's photo, re-encoded without metadata.
import { found } from '@clinic/lib/errors/errors.ts';
import { reencodePicture } from '@clinic/lib/image/image.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { SetDoctorPhotoRequest } from '@clinic/proto/scheduling/v1/photo_pb.js';
import type { App } from '../app.ts';
import { changeDoctorPhoto } from './change-doctor-photo.ts';
import { readDoctor } from './doctors.sql.ts';

export async function setDoctorPhoto(app: App, request: SetDoctorPhotoRequest, call: Call) {
  found(await readDoctor(app.db, clinicOf(call).id, request.id), 'Doctor'); // before the work of decoding a picture
  return changeDoctorPhoto(app, call, request.id, await reencodePicture(request.content, request.contentType));
}
