// Codes of an authenticator app (TOTP, RFC 6238: SHA-1, 6 digits, 30 seconds) and recovery codes.
import { randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';

const PERIOD_SECONDS = 30;
/** How many steps before and after the current one are accepted, since clocks are not exact. */
const WINDOW = 1;
const RECOVERY_CODES = 10;
/** Wrong codes between two locks. */
export const CODES_PER_LOCK = 5;

/** 160 random bits in Base32. */
export const newSecret = () => new Secret({ size: 20 }).base32;

/** The URL in the QR code. Apps show the clinic and the e-mail address beside the code. */
export const otpauthUrl = (secret: string, clinic: string, email: string) => totpOf(secret, { issuer: clinic.replaceAll(':', ' '), label: email }).toString();

/** The time step of the code; undefined if it is wrong or is not later than `lastStep`. */
export function findStep(secret: string, code: string, lastStep: number, now: Date): number | undefined {
  if (!/^\d{6}$/.test(code)) return undefined;
  const delta = totpOf(secret).validate({ token: code, timestamp: now.getTime(), window: WINDOW });
  const step = Math.floor(now.getTime() / 1000 / PERIOD_SECONDS) + (delta ?? 0);
  return delta !== null && step > lastStep ? step : undefined;
}

const totpOf = (secret: string, names: { issuer?: string; label?: string } = {}) =>
  new TOTP({ ...names, secret: Secret.fromBase32(secret), algorithm: 'SHA1', digits: 6, period: PERIOD_SECONDS });

/** 128 random bits each, so that a fast hash without a salt is safe, for example `0f3a…-…`. */
export const newRecoveryCodes = () => Array.from({ length: RECOVERY_CODES }, () => (randomBytes(16).toString('hex').match(/.{8}/g) ?? []).join('-'));

/** A code as it was typed, without spaces and dashes. */
export const normalizeCode = (code: string) => code.replaceAll(/[\s-]/g, '').toLowerCase();
