// Signs a user in. An unknown e-mail costs the same work and gets the same answer as a wrong password; what is wrong with
// the account is told only to who knows the password.
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant, readSystem } from '@clinic/lib/db/db.ts';
import { fail } from '@clinic/lib/errors/errors.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { LoginRequest } from '@clinic/proto/identity/v1/session_pb.js';
import { findAccountByEmailStatement, shareCredentials } from '../access/accounts.sql.ts';
import type { App } from '../app.ts';
import { readCredentials } from './read-credentials.ts';
import { beginFamily, toSession } from './sessions.ts';

export async function login(app: App, request: LoginRequest, call: Call) {
  const { email, password } = readCredentials(request);
  // As the system: which clinic the e-mail belongs to is what we want to know.
  const [account] = email === undefined ? [] : await readSystem(app.db, findAccountByEmailStatement, [email]);
  const matches = await app.passwords.verify(account?.password_hash, password);
  if (!account || !matches) fail('INVALID_CREDENTIALS');
  if (!account.user_active) fail('USER_INACTIVE');
  if (!account.clinic_active) fail('CLINIC_SUSPENDED');
  const now = app.clock.now();
  const refresh = await inTenant(app.db, account.clinic_id, async (tx) => {
    // A password that was reset meanwhile has ended all sessions: this one must not slip through behind it.
    const current = await shareCredentials(tx, account.user_id);
    if (current?.password_hash !== account.password_hash) fail('INVALID_CREDENTIALS');
    if (!current.is_active) fail('USER_INACTIVE');
    const caller = { ...call.caller, kind: 'user' as const, id: account.user_id };
    const [begun] = await Promise.all([
      beginFamily(tx, account.user_id, { ip: call.caller.ip, userAgent: request.userAgent }, now),
      audit(tx, account.clinic_id, caller, { action: 'user.signed_in', entityId: account.user_id }),
    ]);
    return begun;
  });
  return toSession(app, account, refresh, now);
}
