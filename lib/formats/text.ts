import { invalid } from '../errors/errors.ts';

const VISIBLE = /[^\s\p{Cc}\p{Default_Ignorable_Code_Point}]/u;

/** Whether no character of the text is visible: white space, control characters and, for example, zero-width spaces, soft hyphens and bidi marks. */
export const isBlank = (text: string): boolean => !VISIBLE.test(text);

/** What ids and tokens of providers consist of, since requests carry them in paths and headers. */
export const VISIBLE_ASCII = /^[!-~]+$/;
export const VISIBLE_ASCII_RULE = 'must consist of letters, digits and other visible ASCII characters';

export const parseAscii = (path: string, value: string): string => (VISIBLE_ASCII.test(value) ? value : invalid(path, VISIBLE_ASCII_RULE));

/** Trimmed text of 1 to `max` characters, not blank. */
export const parseText = (path: string, value: string, max: number): string => parseOptionalText(path, value, max) ?? invalid(path, 'must not be empty');

/** Trimmed text of at most `max` characters; null when absent or blank. */
export function parseOptionalText(path: string, value: string | undefined, max: number): string | null {
  const text = value?.trim();
  if (!text) return null;
  if (text.length > max && [...text].length > max) invalid(path, `must have at most ${max} characters`);
  if (text.includes('\0') || !text.isWellFormed()) invalid(path, 'must be well-formed text without NUL'); // PostgreSQL stores neither
  return isBlank(text) ? null : text;
}
