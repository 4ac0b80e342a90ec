import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { invalid } from '@clinic/lib/errors/errors.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { SetPinRequest } from '@clinic/proto/identity/v1/user_pb.js';
import type { App } from '../app.ts';
import { isPin } from './pin-rules.ts';
import { setPin as set } from './pins.sql.ts';

export async function setPin(app: App, request: SetPinRequest, call: Call) {
  const { id: clinicId } = clinicOf(call);
  const { caller } = call;
  if (!isPin(request.pin)) invalid('pin', 'must be 4 to 8 digits');
  const pinHash = await app.passwords.hash(request.pin);
  await inTenant(app.db, clinicId, async (tx) => {
    await set(tx, caller.id, pinHash, app.clock.now());
    await audit(tx, clinicId, caller, { action: 'user.pin_set', entityId: caller.id });
  });
  return { message: 'The PIN is set' };
}
