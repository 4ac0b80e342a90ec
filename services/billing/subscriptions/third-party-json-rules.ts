// Defensive parsing of third-party JSON: a value of another type is undefined, and nothing throws.
import { isUuid } from '@clinic/lib/formats/uuid.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

export const objectOf = (value: unknown): JsonObject => (typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {});

/** An id, which may be a number or text. */
export function idOf(value: unknown): string | undefined {
  const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
  return typeof text === 'string' && /^[\w-]{1,64}$/.test(text) ? text : undefined;
}

const EARLIEST = Date.UTC(2000, 0);
const LATEST = Date.UTC(2200, 0);

/** An ISO 8601 instant as epoch milliseconds. */
export function instantOf(value: unknown): number | undefined {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\dT/.test(value)) return undefined;
  const at = Date.parse(value);
  return at >= EARLIEST && at < LATEST ? at : undefined;
}

const MAX_CENTS = 1_000_000_000_000;

/** An amount in whole cents. */
export function centsOf(value: unknown): number | undefined {
  const cents = typeof value === 'string' && /^\d{1,13}$/.test(value) ? Number(value) : value;
  return typeof cents === 'number' && Number.isInteger(cents) && cents >= 0 && cents <= MAX_CENTS ? cents : undefined;
}

/** A lower-case word, such as the name of an event. */
export const wordOf = (value: unknown): string | undefined => (typeof value === 'string' && /^[a-z][a-z_]{0,63}$/.test(value) ? value : undefined);

export function uuidOf(value: unknown): string | undefined {
  const text = typeof value === 'string' ? value.trim().toLowerCase() : '';
  return isUuid(text) ? text : undefined;
}
