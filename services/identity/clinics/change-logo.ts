// Puts a logo in the place of the old one, or of nothing, or takes it away.
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { found } from '@clinic/lib/errors/errors.ts';
import type { Picture } from '@clinic/lib/image/image.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import { v4 } from 'uuid';
import type { App } from '../app.ts';
import { deletePicture, insertPicture } from '../pictures/pictures.sql.ts';
import { lockSettings, setLogo, toCard } from './clinic-settings.sql.ts';
import { emitClinicUpdated } from './clinic-updated.ts';

/** The logo of the caller's clinic. */
export async function changeLogo(app: App, call: Call, picture: Picture | undefined) {
  const { id } = clinicOf(call);
  return inTenant(app.db, id, async (tx) => {
    const before = found(await lockSettings(tx), 'Clinic');
    const now = app.clock.now();
    // Not v7: who knows the id may look, so nobody may guess it.
    const logoId = picture ? v4() : null;
    if (picture && logoId) await insertPicture(tx, logoId, picture, now);
    await setLogo(tx, logoId, now);
    if (before.logo_id) await deletePicture(tx, before.logo_id);
    await audit(tx, id, call.caller, { action: picture ? 'clinic.logo_set' : 'clinic.logo_removed', entityId: id });
    return toCard(await emitClinicUpdated(tx), app.publicUrl);
  });
}
