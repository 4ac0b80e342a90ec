// Requires a recent sign-in with the password, or the password, before a second factor is set up or another session is ended. Someone who finds a device
// signed in can therefore do neither (OWASP ASVS 5.0, 7.5.1 and 7.5.2).
import { fail } from '@clinic/lib/errors/errors.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { App } from '../app.ts';
import { confirmPassword } from './confirm-password.ts';
import { hasSignedInSince } from './recent-sign-ins.sql.ts';

const RECENT_MS = 15 * 60_000;

/**
 * Throws SIGN_IN_REQUIRED if there is no password and the session is 15 minutes old or began by PIN, INVALID_CREDENTIALS if the password is
 * wrong.
 */
export async function confirmSignIn(app: App, password: string | undefined, call: Call): Promise<void> {
  if (password !== undefined) {
    await confirmPassword(app, password, call);
    return;
  }
  const { id, sessionId } = call.caller;
  const since = new Date(app.clock.now().getTime() - RECENT_MS);
  if (!sessionId || !(await hasSignedInSince(app.db, clinicOf(call).id, id, sessionId, since))) fail('SIGN_IN_REQUIRED');
}
