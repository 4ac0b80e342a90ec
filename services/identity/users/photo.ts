// Sets, removes and serves photos of users.
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { found } from '@clinic/lib/errors/errors.ts';
import { type Picture, reencodePicture } from '@clinic/lib/image/image.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetPhotoRequest, RemovePhotoRequest, SetPhotoRequest } from '@clinic/proto/identity/v1/user_pb.js';
import { v4 } from 'uuid';
import type { App } from '../app.ts';
import { getPicture } from '../pictures/get-picture.ts';
import { deletePicture, insertPicture } from '../pictures/pictures.sql.ts';
import { lockUser, setPhotoId, toProto } from './users.sql.ts';

export const setPhoto = async (app: App, request: SetPhotoRequest, call: Call) =>
  changePhoto(app, call, await reencodePicture(request.content, request.contentType));

export const removePhoto = async (app: App, _request: RemovePhotoRequest, call: Call) => changePhoto(app, call, undefined);

/** Anyone who knows the URL may fetch the photo. */
export const getPhoto = async (app: App, request: GetPhotoRequest) => getPicture(app, request.id, 'Photo');

async function changePhoto(app: App, call: Call, picture: Picture | undefined) {
  const { id: clinicId } = clinicOf(call);
  const userId = call.caller.id;
  return inTenant(app.db, clinicId, async (tx) => {
    const before = found(await lockUser(tx, userId), 'User');
    if (!picture && !before.photo_id) return toProto(before, app.publicUrl);
    const now = app.clock.now();
    const photoId = picture ? v4() : null; // random, because anyone who knows the id may fetch the picture
    if (picture && photoId) await insertPicture(tx, photoId, picture, now);
    const after = await setPhotoId(tx, userId, photoId, now);
    if (before.photo_id) await deletePicture(tx, before.photo_id);
    await audit(tx, clinicId, call.caller, { action: picture ? 'user.photo_set' : 'user.photo_removed', entityId: userId });
    return toProto(after, app.publicUrl);
  });
}
