// The second step of a sign-in or of a switch by PIN: a code of the app, or a recovery code. Wrong ones are counted under a lock.
import { decrypt } from '@clinic/lib/crypto/crypto.ts';
import { inTenant, type TenantTx } from '@clinic/lib/db/db.ts';
import { fail, failFor } from '@clinic/lib/errors/errors.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { CompleteMfaRequest } from '@clinic/proto/identity/v1/session_pb.js';
import { getAccount, shareCredentials } from '../access/accounts.sql.ts';
import type { App } from '../app.ts';
import { countGuess, type Guesses, NO_GUESSES } from '../credentials/guess-rules.ts';
import { hashOf } from '../credentials/tokens.ts';
import { notify } from '../notices/notices.ts';
import { fingerprint, parseMfaToken } from '../second-factor/mfa-token.ts';
import { type FactorRow, lockFactor, secretContext, updateFactor, useRecoveryCode } from '../second-factor/second-factors.sql.ts';
import { CODES_PER_LOCK, findStep, normalizeCode } from '../second-factor/totp-rules.ts';
import { beginSession } from './begin-session.ts';
import { endSessionOf, toSession } from './sessions.ts';

export async function completeMfa(app: App, request: CompleteMfaRequest, call: Call) {
  const { clinicId, userId, sessionId, password, byPin, known, knownDevice } = parseMfaToken(app, request.mfaToken);
  if (request.rateLimited && !knownDevice) fail('RATE_LIMITED');
  const now = app.clock.now();
  // A wrong code is counted, so the transaction returns undefined instead of throwing.
  const session = await inTenant(app.db, clinicId, async (tx) => {
    const factor = await lockFactor(tx, userId);
    // The factor may have been removed since the password was verified.
    if (factor?.confirmed_at && !(await acceptCode(app, tx, userId, factor, request.code, now))) return undefined;
    const current = await shareCredentials(tx, userId);
    if (!current || fingerprint(current.password_hash) !== password) fail('INVALID_CREDENTIALS');
    if (!current.is_active) fail('USER_INACTIVE');
    const account = await getAccount(tx, userId);
    if (!account.clinic_active) fail('CLINIC_SUSPENDED');
    const signIn = { id: sessionId, call, userAgent: request.userAgent, device: request.device, known, byPin };
    return { account, refresh: await beginSession(tx, userId, signIn, now) };
  });
  if (!session) fail('INVALID_OTP');
  await endSessionOf(app, request.refreshToken, now); // the new cookie replaces it
  return toSession(app, session.account, session.refresh, now);
}

/** Counts the guess. True if the code is correct; it is then no longer valid. */
async function acceptCode(app: App, tx: TenantTx, userId: string, factor: FactorRow, given: string, now: Date): Promise<boolean> {
  const guesses = countGuess(factor, CODES_PER_LOCK, now);
  if ('waitSeconds' in guesses) failFor('RATE_LIMITED', guesses.waitSeconds);
  const code = normalizeCode(given);
  const secret = decrypt(app.keys, factor.secret_sealed, secretContext(tx.clinicId, userId));
  const step = findStep(secret, code, factor.last_step, now);
  const isCorrect = step !== undefined || (await useRecoveryCode(tx, userId, hashOf(code)));
  const after: Guesses = isCorrect ? NO_GUESSES : guesses;
  await updateFactor(tx, userId, { ...after, confirmed_at: factor.confirmed_at, last_step: step ?? factor.last_step });
  if (after.lockedUntil && after.locks === 1) await notify(tx, 'code_locked', { clinicId: tx.clinicId, userId }, now);
  return isCorrect;
}
