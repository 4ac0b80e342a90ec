// Signs a user in. An unknown e-mail address takes the same time and returns the same error as a wrong password. The errors for an
// inactive account or a suspended clinic are returned only for the right password.
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, invalid } from '@clinic/lib/errors/errors.ts';
import { MAX_EMAIL_LENGTH, normalizeEmail } from '@clinic/lib/formats/email.ts';
import { networkOf } from '@clinic/lib/formats/network.ts';
import { parseText } from '@clinic/lib/formats/text.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { LoginRequest } from '@clinic/proto/identity/v1/session_pb.js';
import { findAccountToSignIn, shareCredentials } from '../access/accounts.sql.ts';
import type { App } from '../app.ts';
import { isTooLong } from '../credentials/password-policy-rules.ts';
import { fingerprint, requireCode } from '../second-factor/mfa-token.ts';
import { beginSession } from './begin-session.ts';
import { addressOf, deviceOf } from './known-clients.sql.ts';
import { endSessionOf, toSession } from './sessions.ts';
import { throttleOf } from './throttle.ts';

export async function login(app: App, request: LoginRequest, call: Call) {
  const { email, password } = parseCredentials(request);
  const { ip } = call.caller;
  const device = deviceOf(request.device);
  const account = email === undefined ? undefined : await findAccountToSignIn(app.db, email, addressOf(ip), device);
  const name = email ?? request.email;
  const throttle = throttleOf(app, account, { email: name, device, rateLimited: request.rateLimited });
  await throttle.admit();
  const known = account !== undefined && (account.known_address || account.known_device);
  const matches = await app.passwords.verify(account?.password_hash, password, { known, network: networkOf(ip), account: name }, throttle.admit);
  if (!account || !matches) {
    await throttle.failed();
    fail('INVALID_CREDENTIALS');
  }
  if (!account.user_active) fail('USER_INACTIVE');
  if (!account.clinic_active) fail('CLINIC_SUSPENDED');
  await throttle.succeeded();
  const { clinic_id: clinicId, user_id: userId, password_hash, known_device: knownDevice } = account;
  if (account.has_mfa) requireCode(app, { clinicId, userId, password: fingerprint(password_hash), byPin: false, known, knownDevice });
  const now = app.clock.now();
  const refresh = await inTenant(app.db, clinicId, async (tx) => {
    // A password reset ends all sessions: one that commits during this sign-in must end this session too.
    const current = await shareCredentials(tx, userId);
    if (current?.password_hash !== password_hash) fail('INVALID_CREDENTIALS');
    if (!current.is_active) fail('USER_INACTIVE');
    return beginSession(tx, userId, { call, userAgent: request.userAgent, device: request.device, known, byPin: false }, now);
  });
  await endSessionOf(app, request.refreshToken, now); // the new cookie replaces it
  return toSession(app, account, refresh, now);
}

/** `email` is undefined if it is not a valid address, which no account can have. */
function parseCredentials(request: LoginRequest): { email: string | undefined; password: string } {
  parseText('email', request.email, MAX_EMAIL_LENGTH);
  if (request.password === '') invalid('password', 'must not be empty');
  if (isTooLong(request.password)) invalid('password', 'is too long');
  return { email: normalizeEmail(request.email), password: request.password };
}
