// Sets a doctor's photo.
import { readTenant } from '@clinic/lib/db/db.ts';
import { found } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { redraw } from '@clinic/lib/image/image.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { SetDoctorPhotoRequest } from '@clinic/proto/scheduling/v1/photo_pb.js';
import type { App } from '../app.ts';
import { changeDoctorPhoto } from './change-doctor-photo.ts';
import { findDoctorStatement } from './doctors.sql.ts';

export async function setDoctorPhoto(app: App, request: SetDoctorPhotoRequest, call: Call) {
  const { id } = clinicOf(call);
  const [doctor] = isUuid(request.id) ? await readTenant(app.db, id, findDoctorStatement, [id, request.id]) : [];
  found(doctor, 'Doctor'); // before a picture is drawn for nobody
  return changeDoctorPhoto(app, call, request.id, await redraw(request.content, request.contentType));
}
