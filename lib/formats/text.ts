import { invalid } from '../errors/errors.ts';

/** Trimmed text of 1 to `max` characters. */
export const parseText = (path: string, value: string, max: number): string => parseOptionalText(path, value, max) ?? invalid(path, 'must not be empty');

/** Trimmed text of at most `max` characters; null when absent or blank. */
export function parseOptionalText(path: string, value: string | undefined, max: number): string | null {
  const text = value?.trim();
  if (!text) return null;
  if (text.length > max) invalid(path, `must have at most ${max} characters`);
  if (text.includes('\0') || !text.isWellFormed()) invalid(path, 'must be well-formed text without NUL'); // PostgreSQL stores neither
  return text;
}
