// Sets, replaces or removes the photo of a user.
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { found } from '@clinic/lib/errors/errors.ts';
import type { Picture } from '@clinic/lib/image/image.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import { v4 } from 'uuid';
import type { App } from '../app.ts';
import { deletePicture, insertPicture } from '../pictures/pictures.sql.ts';
import { lockUser, setPhoto, toProto } from './users.sql.ts';

/** The caller's photo. Without a picture the photo is removed. */
export async function changePhoto(app: App, call: Call, picture: Picture | undefined) {
  const { id: clinicId } = clinicOf(call);
  const userId = call.caller.id;
  return inTenant(app.db, clinicId, async (tx) => {
    const before = found(await lockUser(tx, userId), 'User');
    const now = app.clock.now();
    // Random, because everyone who knows the id may fetch the picture.
    const photoId = picture ? v4() : null;
    if (picture && photoId) await insertPicture(tx, photoId, picture, now);
    const after = await setPhoto(tx, userId, photoId, now);
    if (before.photo_id) await deletePicture(tx, before.photo_id);
    await audit(tx, clinicId, call.caller, { action: picture ? 'user.photo_set' : 'user.photo_removed', entityId: userId });
    return toProto(after, app.publicUrl);
  });
}
