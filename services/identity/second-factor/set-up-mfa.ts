// Sets up and removes a second factor. The setup has two steps: a secret for the app, and a first code, which proves that the app has it.
import { audit } from '@clinic/lib/audit/audit.ts';
import { decrypt, encrypt } from '@clinic/lib/crypto/crypto.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, failFor, found } from '@clinic/lib/errors/errors.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { BeginMfaRequest, ConfirmMfaRequest, RemoveMfaRequest } from '@clinic/proto/identity/v1/user_pb.js';
import { findAccount } from '../access/accounts.sql.ts';
import type { App } from '../app.ts';
import { confirmPassword } from '../credentials/confirm-password.ts';
import { confirmSignIn } from '../credentials/confirm-sign-in.ts';
import { countGuess, NO_GUESSES } from '../credentials/guess-rules.ts';
import { hashOf } from '../credentials/tokens.ts';
import { notify } from '../notices/notices.ts';
import { deleteFactor, insertFactor, insertRecoveryCodes, lockFactor, secretContext, updateFactor } from './second-factors.sql.ts';
import { CODES_PER_LOCK, findStep, newRecoveryCodes, newSecret, normalizeCode, otpauthUrl } from './totp-rules.ts';

const ON_ALREADY = 'The second factor is on already: remove it before you set up another one';

export async function beginMfa(app: App, request: BeginMfaRequest, call: Call) {
  await confirmSignIn(app, request.password, call);
  const { id: clinicId } = clinicOf(call);
  const { id: userId } = call.caller;
  const account = found(await findAccount(app.db, clinicId, userId), 'User');
  const secret = newSecret();
  const ciphertext = encrypt(app.keys, secret, secretContext(clinicId, userId));
  if (!(await inTenant(app.db, clinicId, (tx) => insertFactor(tx, userId, ciphertext, app.clock.now())))) fail('CONFLICT', ON_ALREADY);
  const { default: QRCode } = await import('qrcode');
  const url = otpauthUrl(secret, account.clinic_name, account.email);
  return { secret, otpauthUrl: url, qrSvg: await QRCode.toString(url, { type: 'svg', errorCorrectionLevel: 'M' }) };
}

export async function confirmMfa(app: App, request: ConfirmMfaRequest, call: Call) {
  const { id: clinicId } = clinicOf(call);
  const { id: userId } = call.caller;
  const now = app.clock.now();
  // A wrong code is counted, so the transaction returns undefined instead of throwing.
  const codes = await inTenant(app.db, clinicId, async (tx) => {
    const factor = (await lockFactor(tx, userId)) ?? fail('CONFLICT', 'Request a secret first: POST /api/users/me/mfa');
    if (factor.confirmed_at) fail('CONFLICT', ON_ALREADY);
    const guesses = countGuess(factor, CODES_PER_LOCK, now);
    if ('waitSeconds' in guesses) failFor('RATE_LIMITED', guesses.waitSeconds);
    const secret = decrypt(app.keys, factor.secret_sealed, secretContext(clinicId, userId));
    const step = findStep(secret, normalizeCode(request.code), factor.last_step, now);
    if (step === undefined) return updateFactor(tx, userId, { ...factor, ...guesses });
    const made = newRecoveryCodes();
    await updateFactor(tx, userId, { ...NO_GUESSES, confirmed_at: now, last_step: step });
    const hashes = made.map((code) => hashOf(normalizeCode(code)));
    await insertRecoveryCodes(tx, userId, hashes);
    await audit(tx, clinicId, call.caller, { action: 'user.mfa_enabled', entityId: userId });
    await notify(tx, 'mfa_enabled', { clinicId, userId }, now);
    return made;
  });
  return { recoveryCodes: codes ?? fail('INVALID_OTP') };
}

export async function removeMfa(app: App, request: RemoveMfaRequest, call: Call) {
  await confirmPassword(app, request.password, call);
  await removeFactor(app, clinicOf(call).id, call.caller.id, 'user.mfa_removed', call);
  return { message: 'The second factor is removed' };
}

/** False if the user has none. */
export function removeFactor(app: Pick<App, 'db' | 'clock'>, clinicId: string, userId: string, action: 'user.mfa_removed' | 'user.mfa_reset', call: Call) {
  return inTenant(app.db, clinicId, async (tx) => {
    const factor = await lockFactor(tx, userId);
    if (!factor || !(await deleteFactor(tx, userId))) return false;
    if (!factor.confirmed_at) return true; // it was never in use
    await audit(tx, clinicId, call.caller, { action, entityId: userId });
    await notify(tx, 'mfa_removed', { clinicId, userId }, app.clock.now());
    return true;
  });
}
