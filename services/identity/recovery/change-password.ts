// Changes the caller's password, which requires the current one. All other sessions end.
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { ChangePasswordRequest } from '@clinic/proto/identity/v1/user_pb.js';
import { findAccount } from '../access/accounts.sql.ts';
import type { App } from '../app.ts';
import { confirmPassword } from '../credentials/confirm-password.ts';
import { requireValidPassword } from '../credentials/password-policy-rules.ts';
import { requesterOf } from '../credentials/passwords.ts';
import { dropRecoveries } from '../credentials/recoveries.sql.ts';
import { notify } from '../notices/notices.ts';
import { endFamilies } from '../sessions/session-families.sql.ts';
import { replacePassword } from '../users/users.sql.ts';

export async function changePassword(app: App, { currentPassword, newPassword }: ChangePasswordRequest, call: Call) {
  const { id: clinicId } = clinicOf(call);
  const { caller } = call;
  const { email, full_name, clinic_name } = found(await findAccount(app.db, clinicId, caller.id), 'User');
  requireValidPassword(newPassword, [email, full_name, clinic_name], 'newPassword');
  const confirmed = await confirmPassword(app, currentPassword, call, 'currentPassword');
  await app.requireUnbreached(newPassword, 'newPassword');
  const passwordHash = await app.passwords.hash(newPassword, requesterOf(caller));
  const now = app.clock.now();
  await inTenant(app.db, clinicId, async (tx) => {
    // The password changes before the sessions end: a concurrent sign-in with the old password waits for this update and is then rejected.
    if (!(await replacePassword(tx, caller.id, confirmed, passwordHash, now))) fail('INVALID_CREDENTIALS', 'Wrong password');
    await endFamilies(tx, caller.id, 'password_reset', now, caller.sessionId);
    await dropRecoveries(tx, { clinic_id: clinicId, user_id: caller.id }, now);
    await notify(tx, 'password_changed', { clinicId, userId: caller.id }, now);
    await audit(tx, clinicId, caller, { action: 'user.password_changed', entityId: caller.id });
  });
  return { message: 'The password was changed; your other sessions have ended' };
}
