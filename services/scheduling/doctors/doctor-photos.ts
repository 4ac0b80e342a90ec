// Sets, removes and serves the photo of a doctor.
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { found } from '@clinic/lib/errors/errors.ts';
import { type Picture, reencodePicture } from '@clinic/lib/image/image.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetDoctorPhotoRequest, RemoveDoctorPhotoRequest, SetDoctorPhotoRequest } from '@clinic/proto/scheduling/v1/photo_pb.js';
import { v4 } from 'uuid';
import type { App } from '../app.ts';
import { findPhoto, replacePhoto } from './doctor-photos.sql.ts';
import { type DoctorRow, findDoctor, findDoctorWithHours, lockDoctor, toProto } from './doctors.sql.ts';

export async function setDoctorPhoto(app: App, { id, content, contentType }: SetDoctorPhotoRequest, call: Call) {
  const doctor = found(await findDoctorWithHours(app.db, clinicOf(call).id, id), 'Doctor'); // before the picture is decoded, which is expensive
  return changePhoto(app, call, doctor, await reencodePicture(content, contentType));
}

export async function removeDoctorPhoto(app: App, { id }: RemoveDoctorPhotoRequest, call: Call) {
  return changePhoto(app, call, found(await findDoctorWithHours(app.db, clinicOf(call).id, id), 'Doctor'), undefined);
}

async function changePhoto(app: App, call: Call, { clinic_id, id }: DoctorRow, picture: Picture | undefined) {
  return inTenant(app.db, clinic_id, async (tx) => {
    const before = found(await lockDoctor(tx, id), 'Doctor');
    if (!picture && !before.photo_id && !before.photo_url) return toProto(app, before);
    // A random UUID: anyone who knows the id can see the photo, so it must not be predictable.
    const [, after] = await Promise.all([
      replacePhoto(tx, id, picture && { id: v4(), picture }, app.clock.now()),
      findDoctor(tx, id),
      audit(tx, clinic_id, call.caller, { action: picture ? 'doctor.photo_set' : 'doctor.photo_removed', entityId: id }),
    ]);
    return toProto(app, found(after, 'Doctor'));
  });
}

/** The content under an id never changes. */
export async function getDoctorPhoto(app: App, request: GetDoctorPhotoRequest) {
  const { content, content_type } = found(await findPhoto(app.db, request.id), 'Photo');
  return { content, contentType: content_type, etag: request.id.toLowerCase() };
}
