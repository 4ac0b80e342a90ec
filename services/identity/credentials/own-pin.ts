// Sets and removes the caller's PIN.
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, throwIfInvalid } from '@clinic/lib/errors/errors.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { RemovePinRequest, SetPinRequest } from '@clinic/proto/identity/v1/user_pb.js';
import { shareCredentials } from '../access/accounts.sql.ts';
import type { App } from '../app.ts';
import { confirmPassword } from './confirm-password.ts';
import { requesterOf } from './passwords.ts';
import { pinFault } from './pin-rules.ts';
import { lockPin, removePin as remove, setPin as set } from './pins.sql.ts';

/** The password is required, so that nobody else can set a PIN at a computer that its user has left. */
export async function setPin(app: App, request: SetPinRequest, call: Call) {
  const { id: clinicId } = clinicOf(call);
  const { caller } = call;
  requireValid(request.pin, caller.role);
  const confirmed = await confirmPassword(app, request.password, call);
  const pinHash = await app.passwords.hash(request.pin, requesterOf(caller));
  await inTenant(app.db, clinicId, async (tx) => {
    await lockPin(tx, caller.id); // two transactions that share the row and then update it would cause a deadlock
    const current = await shareCredentials(tx, caller.id);
    if (current?.password_hash !== confirmed) fail('INVALID_CREDENTIALS', 'Wrong password');
    requireValid(request.pin, current.app_role);
    await set(tx, caller.id, pinHash, app.clock.now());
    await audit(tx, clinicId, caller, { action: 'user.pin_set', entityId: caller.id });
  });
  return { message: 'The PIN is set' };
}

export async function removePin(app: App, _request: RemovePinRequest, call: Call) {
  const { id: clinicId } = clinicOf(call);
  const { caller } = call;
  await inTenant(app.db, clinicId, async (tx) => {
    if (await remove(tx, caller.id, app.clock.now())) await audit(tx, clinicId, caller, { action: 'user.pin_removed', entityId: caller.id });
  });
  return { message: 'The PIN is removed' };
}

function requireValid(pin: string, role: string): void {
  const message = pinFault(pin, role);
  throwIfInvalid(message === undefined ? undefined : { path: 'pin', message });
}
