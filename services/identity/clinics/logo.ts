// Sets, removes and serves the logo of a clinic.
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { type Picture, reencodePicture } from '@clinic/lib/image/image.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetLogoRequest, RemoveLogoRequest, SetLogoRequest } from '@clinic/proto/identity/v1/settings_pb.js';
import { v4 } from 'uuid';
import type { App } from '../app.ts';
import { getPicture } from '../pictures/get-picture.ts';
import { deletePicture, insertPicture } from '../pictures/pictures.sql.ts';
import { lockSettings, setLogoId, toProfile } from './clinic-settings.sql.ts';
import { publishClinicUpdated } from './publish-clinic-updated.ts';

/** As PNG, because PDF documents contain it. */
export const setLogo = async (app: App, request: SetLogoRequest, call: Call) =>
  changeLogo(app, call, await reencodePicture(request.content, request.contentType, 'png'));

export const removeLogo = async (app: App, _request: RemoveLogoRequest, call: Call) => changeLogo(app, call, undefined);

/** Anyone who knows the URL may fetch the logo. */
export const getLogo = async (app: App, request: GetLogoRequest) => getPicture(app, request.id, 'Logo');

async function changeLogo(app: App, call: Call, picture: Picture | undefined) {
  const { id } = clinicOf(call);
  return inTenant(app.db, id, async (tx) => {
    const before = await lockSettings(tx);
    if (!picture && !before.logo_id) return toProfile(before, app.publicUrl);
    const now = app.clock.now();
    const logoId = picture ? v4() : null; // random, because anyone who knows the id may fetch the picture
    if (picture && logoId) await insertPicture(tx, logoId, picture, now);
    await setLogoId(tx, logoId, now);
    if (before.logo_id) await deletePicture(tx, before.logo_id);
    await audit(tx, id, call.caller, { action: picture ? 'clinic.logo_set' : 'clinic.logo_removed', entityId: id });
    return toProfile(await publishClinicUpdated(tx, id), app.publicUrl);
  });
}
