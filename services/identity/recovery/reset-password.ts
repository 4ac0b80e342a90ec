// Sets a new password with the token of a mail, once. Whoever was signed in as this user is out.
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant, readSystem } from '@clinic/lib/db/db.ts';
import { fail } from '@clinic/lib/errors/errors.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { ResetPasswordRequest } from '@clinic/proto/identity/v1/recovery_pb.js';
import type { App } from '../app.ts';
import { endFamilies } from '../sessions/session-families.sql.ts';
import { hashOf } from '../sessions/sessions.ts';
import { readPassword } from '../users/read-user.ts';
import { setPassword } from '../users/users.sql.ts';
import { consumeRecovery, findRecoveryByTokenStatement } from './recoveries.sql.ts';

export async function resetPassword(app: App, request: ResetPasswordRequest, call: Call) {
  const password = readPassword(request.password);
  // As the system: the token is all we know. Looked at first, so that a guess costs no password hash.
  const [recovery] = await readSystem(app.db, findRecoveryByTokenStatement, [hashOf(request.token), app.clock.now()]);
  if (!recovery) fail('INVALID_RESET_TOKEN');
  const passwordHash = await app.passwords.hash(password);
  const now = app.clock.now();
  await inTenant(app.db, recovery.clinic_id, async (tx) => {
    if (!(await consumeRecovery(tx, recovery, now))) fail('INVALID_RESET_TOKEN');
    // The password first: a sign-in with the old one waits for it, and so begins no session behind the end of all.
    await setPassword(tx, recovery.user_id, passwordHash, now);
    await endFamilies(tx, recovery.user_id, 'password_reset', now);
    const caller = { ...call.caller, kind: 'user' as const, id: recovery.user_id };
    await audit(tx, recovery.clinic_id, caller, { action: 'user.password_reset', entityId: recovery.user_id });
  });
  return { message: 'The password was changed: sign in with the new one' };
}
