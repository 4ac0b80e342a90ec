// Access tokens for the loaded users, signed with the key of the product as at sign-in.
import { readSettings } from '@clinic/lib/config/config.ts';
import { createAccessTokens } from '../../services/identity/access/access-tokens.ts';
import { settings } from '../../services/identity/settings.ts';
import { clinicId, type Dataset, sessionId, userId } from './dataset.ts';
import { callersOf } from './requests.ts';

/** One token for each clinic, in order. */
export function signTokens(env: NodeJS.ProcessEnv, data: Dataset): Promise<string[]> {
  const { sign } = createAccessTokens(readSettings(settings, env).JWT_PRIVATE_KEYS);
  const callers = Array.from({ length: callersOf(data) }, (_, clinic) => clinic);
  return Promise.all(callers.map((clinic) => sign({ user_id: userId(clinic), clinic_id: clinicId(clinic), app_role: 'admin' }, new Date(), sessionId(clinic))));
}
