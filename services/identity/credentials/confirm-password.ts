// Asks the signed-in user for the password before a change of credentials.
import { fail, invalid } from '@clinic/lib/errors/errors.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import { findPasswordHash } from '../access/accounts.sql.ts';
import type { App } from '../app.ts';
import { isTooLong } from './password-policy-rules.ts';
import { hasherOf } from './passwords.ts';

/** The hash that matched. Throws INVALID_CREDENTIALS if the password is not the caller's. */
export async function confirmPassword(app: App, password: string, call: Call): Promise<string> {
  if (password === '') invalid('password', 'must not be empty');
  if (isTooLong(password)) invalid('password', 'is too long');
  const hash = await findPasswordHash(app.db, clinicOf(call).id, call.caller.id);
  if (!hash || !(await app.passwords.verify(hash, password, hasherOf(call.caller)))) fail('INVALID_CREDENTIALS', 'Wrong password');
  return hash;
}
