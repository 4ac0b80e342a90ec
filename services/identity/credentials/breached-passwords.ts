// Refuses passwords that are known from breaches of other services. The API gets the first five hexadecimal digits of the password's SHA-1,
// and answers with the rest of all breached ones that begin so (the format of haveibeenpwned.com).
import { createHash } from 'node:crypto';
import { invalid } from '@clinic/lib/errors/errors.ts';
import { measureExternalCall } from '@clinic/lib/telemetry/external-calls.ts';
import type { Log } from '@clinic/lib/telemetry/log.ts';

/** Throws VALIDATION_ERROR for a breached password. While the API does not answer, every password is accepted. */
export type RequireUnbreached = (password: string, path?: string) => Promise<void>;

const LIMIT_MS = 1_500;
const PREFIX = 5;

export function createBreachCheck(url: string | undefined, log: Log): RequireUnbreached {
  if (!url) return async () => {};
  return async (password, path = 'password') => {
    if (await isBreached(url, password.normalize('NFKC'), log)) invalid(path, 'is known from a data breach: choose another');
  };
}

async function isBreached(url: string, password: string, log: Log): Promise<boolean> {
  const digest = createHash('sha1').update(password).digest('hex').toUpperCase();
  try {
    const text = await measureExternalCall('breached-passwords', 'range', async () => {
      const signal = AbortSignal.timeout(LIMIT_MS);
      const response = await fetch(`${url}/range/${digest.slice(0, PREFIX)}`, { headers: { 'Add-Padding': 'true' }, redirect: 'error', signal });
      if (!response.ok) throw new Error(`status ${response.status}`);
      return response.text();
    });
    // Each line is <rest of the digest>:<count>; padding has the count 0.
    return text.split(/\r?\n/).some((line) => line.toUpperCase().startsWith(`${digest.slice(PREFIX)}:`) && !line.endsWith(':0'));
  } catch (err) {
    log.warn({ err }, 'a new password could not be checked against breached ones; it was accepted');
    return false;
  }
}
