// Replaces or removes the photo of a doctor.
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import type { Picture } from '@clinic/lib/image/image.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import { v4 } from 'uuid';
import type { App } from '../app.ts';
import { replacePhoto } from './doctor-photos.sql.ts';
import { findDoctor, lockDoctor, toProto } from './doctors.sql.ts';

export async function changeDoctorPhoto(app: App, call: Call, id: string, picture: Picture | undefined) {
  const { id: clinicId } = clinicOf(call);
  if (!isUuid(id)) fail('NOT_FOUND', 'Doctor not found');
  return inTenant(app.db, clinicId, async (tx) => {
    const doctor = found(await lockDoctor(tx, id), 'Doctor');
    // A random UUID: everyone who knows the id can see the photo, so it must not be predictable.
    const [, after] = await Promise.all([
      replacePhoto(tx, doctor.id, picture && { id: v4(), picture }, app.clock.now()),
      findDoctor(tx, doctor.id),
      audit(tx, clinicId, call.caller, { action: picture ? 'doctor.photo_set' : 'doctor.photo_removed', entityId: doctor.id }),
    ]);
    return toProto(found(after, 'Doctor'), app.publicUrl);
  });
}
