// Switches to another user of the clinic on a shared computer by PIN. Each guess is counted, under a lock, before it is verified.
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { SwitchUserRequest } from '@clinic/proto/identity/v1/session_pb.js';
import { getAccount, shareCredentials } from '../access/accounts.sql.ts';
import type { App } from '../app.ts';
import { countGuess } from '../credentials/pin-rules.ts';
import { countAttempts, lockPin } from '../credentials/pins.sql.ts';
import { createSession, toSession } from './sessions.ts';

export async function switchUser(app: App, request: SwitchUserRequest, call: Call) {
  const { id: clinicId } = clinicOf(call);
  const { userId, pin } = request;
  if (!isUuid(userId)) fail('NOT_FOUND', 'User not found');
  const pinRow = await inTenant(app.db, clinicId, async (tx) => {
    const row = found(await lockPin(tx, userId), 'User');
    const next = countGuess({ attempts: row.pin_attempts, lockedUntil: row.pin_locked_until }, app.clock.now());
    if (!next) fail('PIN_LOCKED');
    await countAttempts(tx, userId, next.attempts, next.lockedUntil);
    if (next.lockedUntil) await audit(tx, clinicId, call.caller, { action: 'user.pin_locked', entityId: userId });
    return row;
  });
  // For a user without a PIN, verify() takes the same time and returns false.
  if (!(await app.passwords.verify(pinRow.pin_hash ?? undefined, pin))) fail('INVALID_PIN');
  const now = app.clock.now();
  const { account, refresh } = await inTenant(app.db, clinicId, async (tx) => {
    const current = await shareCredentials(tx, userId);
    if (!current?.is_active) fail('USER_INACTIVE');
    const [refresh, account] = await Promise.all([
      createSession(tx, userId, { ip: call.caller.ip, userAgent: request.userAgent }, now),
      getAccount(tx, userId),
      countAttempts(tx, userId, 0, null),
      audit(tx, clinicId, call.caller, { action: 'user.switched', entityId: userId }),
    ]);
    return { account, refresh };
  });
  return toSession(app, account, refresh, now);
}
