// Sets a new password with the single-use token from the mail, and ends all sessions of the user.
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail } from '@clinic/lib/errors/errors.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { ResetPasswordRequest } from '@clinic/proto/identity/v1/recovery_pb.js';
import type { App } from '../app.ts';
import { requireValidPassword } from '../credentials/password-policy-rules.ts';
import { requesterOf } from '../credentials/passwords.ts';
import { consumeRecovery, findRecoveryByToken } from '../credentials/recoveries.sql.ts';
import { hashOf } from '../credentials/tokens.ts';
import { notify } from '../notices/notices.ts';
import { rememberPasswordAddress } from '../sessions/known-clients.sql.ts';
import { endFamilies } from '../sessions/session-families.sql.ts';
import { setPassword } from '../users/users.sql.ts';

export async function resetPassword(app: App, request: ResetPasswordRequest, call: Call) {
  const { password } = request;
  requireValidPassword(password);
  // The token is checked before the password is hashed, so that a guessed token takes little time.
  const recovery = await findRecoveryByToken(app.db, hashOf(request.token), app.clock.now());
  if (!recovery) fail('INVALID_RESET_TOKEN');
  requireValidPassword(password, [recovery.email, recovery.full_name, recovery.clinic_name]);
  await app.requireUnbreached(password);
  const passwordHash = await app.passwords.hash(password, requesterOf(call.caller, recovery.user_id));
  const now = app.clock.now();
  await inTenant(app.db, recovery.clinic_id, async (tx) => {
    // The password changes first: a concurrent sign-in with the old password waits for this update and is then rejected, and so does another
    // change of the credentials.
    await setPassword(tx, recovery.user_id, passwordHash, now);
    if (!(await consumeRecovery(tx, recovery, now))) fail('INVALID_RESET_TOKEN');
    await endFamilies(tx, recovery.user_id, 'password_reset', now);
    // Only the user reads the mail: wrong passwords of others must not keep the user out, wherever the link was used.
    await rememberPasswordAddress(tx, recovery.user_id, call.caller.ip, now);
    const caller = { ...call.caller, kind: 'user' as const, id: recovery.user_id };
    await notify(tx, 'password_changed', { clinicId: recovery.clinic_id, userId: recovery.user_id }, now);
    await audit(tx, recovery.clinic_id, caller, { action: 'user.password_reset', entityId: recovery.user_id });
  });
  return { message: 'The password was changed: sign in with the new one' };
}
