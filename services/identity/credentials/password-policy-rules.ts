// Password policy (NIST SP 800-63B): a minimum length, and no common passwords; no rules about kinds of characters.
import { createRequire } from 'node:module';

const MIN = 8;
const MAX_PASSWORD = 128;

/** Whether a password is too long to be verified. NFKC may shorten it, so that the limit of new passwords does not apply before normalisation. */
export const isTooLong = (password: string) => password.length > 4 * MAX_PASSWORD;

// Most common first (package @zxcvbn-ts/language-common, MIT).
const ranked: string[] = createRequire(import.meta.url)('@zxcvbn-ts/language-common/src/passwords.json');
const common = new Set(ranked.slice(0, 3_000));

/** What is wrong with a new password; undefined if it is valid. Characters are counted in NFKC form. */
export function passwordFault(password: string): string | undefined {
  if (password.includes('\0') || !password.isWellFormed()) return 'must be well-formed text without NUL';
  const normal = password.normalize('NFKC');
  const length = [...normal].length;
  if (length < MIN || length > MAX_PASSWORD) return `must have ${MIN} to ${MAX_PASSWORD} characters`;
  if (common.has(normal) || common.has(normal.toLowerCase())) return 'is one of the most common passwords: choose another';
  return undefined;
}
