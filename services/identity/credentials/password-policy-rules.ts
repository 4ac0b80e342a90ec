// Password policy (NIST SP 800-63B): a minimum length, no common passwords and none of the words below; no rules about kinds of characters.
import { createRequire } from 'node:module';
import { invalid } from '@clinic/lib/errors/errors.ts';

const MIN = 8;
const MAX_PASSWORD = 128;

/** Whether a password is too long to be verified. NFKC may shorten it, so that the limit of new passwords does not apply before normalisation. */
export const isTooLong = (password: string) => password.length > 4 * MAX_PASSWORD;

// Most common first (package @zxcvbn-ts/language-common, MIT).
const ranked: string[] = createRequire(import.meta.url)('@zxcvbn-ts/language-common/src/passwords.json');
const common = new Set(ranked.slice(0, 3_000));

/** Words of the product. */
const PRODUCT = ['clinic', 'clinica', 'management', 'service'];

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
  if (isAbout(normal, about)) return 'must not consist of the names or e-mail address of the user, the clinic or the product: choose another';
  return undefined;
}

/** How many letters besides the words make a password another one. */
const OTHER_LETTERS = 3;

/** Whether the letters of the password, also of one with digits for letters, are these words. */
function isAbout(password: string, about: string[]): boolean {
  const words = [...PRODUCT, ...about.flatMap((text) => [lettersOf(text), ...text.split(/[^\p{L}\p{M}]+/u).map(lettersOf)])]
    .filter((word) => word.length > 2)
    .sort((one, other) => other.length - one.length);
  return [password, asLetters(password)].map(lettersOf).some((letters) => {
    const rest = words.reduce((left, word) => left.replaceAll(word, ''), letters);
    return rest !== letters && rest.length < OTHER_LETTERS;
  });
}

const lettersOf = (text: string) =>
  text
    .normalize('NFKD')
    .replaceAll(/[^\p{L}]/gu, '')
    .toLowerCase();

const LETTERS: Record<string, string> = { 0: 'o', 1: 'i', 3: 'e', 4: 'a', 5: 's', 7: 't', '@': 'a', $: 's' };
const asLetters = (text: string) => text.replaceAll(/[013457@$]/g, (sign) => LETTERS[sign] ?? sign);
