// Asks for proof that the caller is the user before the second factor or other sessions change: a sign-in a short while ago, or the
// password. So a device that was left signed in can do neither (OWASP ASVS 5.0, 7.5.1 and 7.5.2).
import { fail } from '@clinic/lib/errors/errors.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { App } from '../app.ts';
import { confirmPassword } from './confirm-password.ts';
import { hasSignedInSince } from './recent-sign-ins.sql.ts';

const RECENT_MS = 15 * 60_000;

/** Throws SIGN_IN_REQUIRED without a password after a sign-in over 15 minutes ago, and INVALID_CREDENTIALS with a wrong password. */
export async function confirmSignIn(app: App, password: string | undefined, call: Call): Promise<void> {
  if (password !== undefined) {
    await confirmPassword(app, password, call);
    return;
  }
  const { id, sessionId } = call.caller;
  const since = new Date(app.clock.now().getTime() - RECENT_MS);
  if (!sessionId || !(await hasSignedInSince(app.db, clinicOf(call).id, id, sessionId, since))) fail('SIGN_IN_REQUIRED');
}
