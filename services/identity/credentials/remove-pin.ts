import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { RemovePinRequest } from '@clinic/proto/identity/v1/user_pb.js';
import type { App } from '../app.ts';
import { removePin as remove } from './pins.sql.ts';

export async function removePin(app: App, _request: RemovePinRequest, call: Call) {
  const { id: clinicId } = clinicOf(call);
  const { caller } = call;
  await inTenant(app.db, clinicId, async (tx) => {
    if (await remove(tx, caller.id, app.clock.now())) await audit(tx, clinicId, caller, { action: 'user.pin_removed', entityId: caller.id });
  });
  return { message: 'The PIN is removed' };
}
