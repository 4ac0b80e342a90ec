// Switches to another user of the clinic on a shared computer by PIN. Each guess is counted, under a lock, before it is verified.
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, failFor, found } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { SwitchUserRequest } from '@clinic/proto/identity/v1/session_pb.js';
import { getAccount, shareCredentials } from '../access/accounts.sql.ts';
import type { App } from '../app.ts';
import { countGuess, NO_GUESSES } from '../credentials/guess-rules.ts';
import { requesterOf } from '../credentials/passwords.ts';
import { NOTIFIED_LOCK, PINS_PER_LOCK } from '../credentials/pin-rules.ts';
import { lockPin, setPinGuesses } from '../credentials/pins.sql.ts';
import { notify } from '../notices/notices.ts';
import { fingerprint, requireCode } from '../second-factor/mfa-token.ts';
import { hasFactor } from '../second-factor/second-factors.sql.ts';
import { beginSession } from './begin-session.ts';
import { endSessionOf, toSession } from './sessions.ts';

export async function switchUser(app: App, request: SwitchUserRequest, call: Call) {
  const { id: clinicId } = clinicOf(call);
  const { userId, pin } = request;
  if (!isUuid(userId)) fail('NOT_FOUND', 'User not found');
  const pinRow = await inTenant(app.db, clinicId, async (tx) => {
    const row = found(await lockPin(tx, userId), 'User');
    const now = app.clock.now();
    const next = countGuess(row, PINS_PER_LOCK, now);
    if ('waitSeconds' in next) failFor('PIN_LOCKED', next.waitSeconds);
    await setPinGuesses(tx, userId, next);
    return { ...row, next };
  });
  // For a user without a PIN, verify() takes the same time and returns false.
  if (!(await app.passwords.verify(pinRow.pin_hash ?? undefined, pin, requesterOf(call.caller, userId)))) {
    if (pinRow.next.lockedUntil) await recordLock(app, call, clinicId, userId, pinRow.next.locks);
    fail('INVALID_PIN');
  }
  const now = app.clock.now();
  const needsCode = await hasFactor(app.db, clinicId, userId);
  const { account, refresh, password } = await inTenant(app.db, clinicId, async (tx) => {
    // A PIN that was changed or removed while it was verified begins no session.
    if ((await lockPin(tx, userId))?.pin_hash !== pinRow.pin_hash) fail('INVALID_PIN');
    const current = await shareCredentials(tx, userId);
    if (!current?.is_active) fail('USER_INACTIVE');
    await setPinGuesses(tx, userId, NO_GUESSES);
    if (needsCode) return { password: fingerprint(current.password_hash) };
    const signIn = { call, userAgent: request.userAgent, device: '', known: true, byPin: true };
    return { account: await getAccount(tx, userId), refresh: await beginSession(tx, userId, signIn, now) };
  });
  if (!refresh) return requireCode(app, { clinicId, userId, password, byPin: true, known: true, knownDevice: false });
  await endSessionOf(app, request.refreshToken, now); // the new cookie replaces it
  return toSession(app, account, refresh, now);
}

async function recordLock(app: App, call: Call, clinicId: string, userId: string, locks: number): Promise<void> {
  await inTenant(app.db, clinicId, async (tx) => {
    await audit(tx, clinicId, call.caller, { action: 'user.pin_locked', entityId: userId });
    if (locks === NOTIFIED_LOCK) await notify(tx, 'pin_locked', { clinicId, userId }, app.clock.now());
  });
}
