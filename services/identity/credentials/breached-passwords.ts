// Refuses passwords that are known from data breaches of other services. The API gets the first five hexadecimal digits of the password's
// SHA-1, and returns the remaining digits of all breached passwords whose hash begins with them (the format of haveibeenpwned.com).
import { createHash } from 'node:crypto';
import { invalid } from '@clinic/lib/errors/errors.ts';
import { limitBody } from '@clinic/lib/http/limit-body.ts';
import { measureExternalCall } from '@clinic/lib/telemetry/external-calls.ts';
import type { Log } from '@clinic/lib/telemetry/log.ts';

/** Throws VALIDATION_ERROR for a breached password. While the API is unavailable, every password is accepted. */
export type RequireUnbreached = (password: string, path?: string) => Promise<void>;

const TIMEOUT_MS = 1_500;
const MAX_RESPONSE_BYTES = 1_048_576;
const PREFIX_LENGTH = 5;

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
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      const response = await fetch(`${url}/range/${digest.slice(0, PREFIX_LENGTH)}`, { headers: { 'Add-Padding': 'true' }, redirect: 'error', signal });
      if (!response.ok) throw new Error(`status ${response.status}`);
      return limitBody(response, MAX_RESPONSE_BYTES).text();
    });
    // Each line is <remaining digits>:<count>. Lines with the count 0 are padding.
    return text.split(/\r?\n/).some((line) => line.toUpperCase().startsWith(`${digest.slice(PREFIX_LENGTH)}:`) && !line.endsWith(':0'));
  } catch (err) {
    log.warn({ err }, 'could not check a new password against known breaches; it was accepted');
    return false;
  }
}
