// Verifies the caller's password before a change of credentials. Wrong passwords are limited per session, so that someone who uses another
// user's session can neither guess the password nor lock the user's other sessions.
import { fail, invalid } from '@clinic/lib/errors/errors.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import { findPasswordHash } from '../access/accounts.sql.ts';
import type { App } from '../app.ts';
import { guessThrottle } from './guess-throttle.ts';
import { isTooLong } from './password-policy-rules.ts';
import { requesterOf } from './passwords.ts';

/** The hash that matched. Throws INVALID_CREDENTIALS if the password is not the caller's, and RATE_LIMITED after too many wrong ones. */
export async function confirmPassword(app: App, password: string, call: Call, path = 'password'): Promise<string> {
  if (password === '') invalid(path, 'must not be empty');
  if (isTooLong(password)) invalid(path, 'is too long');
  const { caller } = call;
  const { id: clinicId } = clinicOf(call);
  // Sign-ins are counted by the text that was sent as the e-mail address, which cannot contain NUL.
  const throttle = guessThrottle(app, `session\0${caller.sessionId ?? caller.id}`, { clinicId, userId: caller.id });
  await throttle.admit();
  const hash = await findPasswordHash(app.db, clinicId, caller.id);
  if (!hash || !(await app.passwords.verify(hash, password, requesterOf(caller), throttle.admit))) {
    await throttle.failed();
    fail('INVALID_CREDENTIALS', 'Wrong password');
  }
  await throttle.succeeded();
  return hash;
}
