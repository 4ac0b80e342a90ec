// Password policy (NIST SP 800-63B): a minimum length, no common passwords and no names; no rules about kinds of characters.
import { createRequire } from 'node:module';
import { invalid } from '@clinic/lib/errors/errors.ts';

const MIN = 8;
const MAX_PASSWORD = 128;

/** Whether a password is too long to be verified. NFKC may shorten it, so the limit of new passwords cannot be applied to the text as typed. */
export const isTooLong = (password: string) => password.length > 4 * MAX_PASSWORD;

// Most common first (package @zxcvbn-ts/language-common, MIT).
const ranked: string[] = createRequire(import.meta.url)('@zxcvbn-ts/language-common/src/passwords.json');
const common = new Set(ranked.slice(0, 3_000));

/** Names of the product. */
const PRODUCT = ['clinic management', 'clinic management service'];

/** Throws VALIDATION_ERROR for a password that does not comply. `about`: e-mail address and name of the user, name of the clinic. */
export function requireValidPassword(password: string, about: string[] = [], path = 'password'): void {
  const fault = passwordFault(password, about);
  if (fault) invalid(path, fault);
}

/** What is wrong with a new password; undefined if it is valid. Characters are counted in NFKC form. */
export function passwordFault(password: string, about: string[] = []): string | undefined {
  if (password.includes('\0') || !password.isWellFormed()) return 'must be well-formed text without NUL';
  const normal = password.normalize('NFKC');
  const length = [...normal].length;
  if (length < MIN || length > MAX_PASSWORD) return `must have ${MIN} to ${MAX_PASSWORD} characters`;
  if (common.has(normal) || common.has(normal.toLowerCase())) return 'is one of the most common passwords: choose another';
  if (isAbout(normal, about)) return 'must not be the name or e-mail address of the user, the clinic or the product: choose another';
  return undefined;
}

/** Whether the password is one of these texts or the part of one before an @, in any case and punctuation. A name with letters or digits added is accepted, so that few good passwords are refused. */
function isAbout(password: string, about: string[]): boolean {
  const refused = [...PRODUCT, ...about.flatMap((text) => [text, text.split('@')[0] ?? ''])].map(plain);
  return refused.includes(plain(password));
}

/** Letters and digits only, without accents, in lower case. */
const plain = (text: string) =>
  text
    .normalize('NFKD')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase();
