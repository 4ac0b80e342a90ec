// Sets, replaces or removes the logo of a clinic.
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import type { Picture } from '@clinic/lib/image/image.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import { v4 } from 'uuid';
import type { App } from '../app.ts';
import { deletePicture, insertPicture } from '../pictures/pictures.sql.ts';
import { lockSettings, setLogo, toProfile } from './clinic-settings.sql.ts';
import { publishClinicUpdated } from './publish-clinic-updated.ts';

/** Without a picture the logo is removed. */
export async function changeLogo(app: App, call: Call, picture: Picture | undefined) {
  const { id } = clinicOf(call);
  return inTenant(app.db, id, async (tx) => {
    const before = await lockSettings(tx);
    const now = app.clock.now();
    // Random, because everyone who knows the id may fetch the picture.
    const logoId = picture ? v4() : null;
    if (picture && logoId) await insertPicture(tx, logoId, picture, now);
    await setLogo(tx, logoId, now);
    if (before.logo_id) await deletePicture(tx, before.logo_id);
    await audit(tx, id, call.caller, { action: picture ? 'clinic.logo_set' : 'clinic.logo_removed', entityId: id });
    return toProfile(await publishClinicUpdated(tx, id), app.publicUrl);
  });
}
