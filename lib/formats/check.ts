// What the RPC door asks of plain values. The gateway has checked a public request already; gRPC is a door of its own.

import { isUuid } from '../db/db.ts';
import { invalid } from '../errors/errors.ts';

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const TIME = /^([01]\d|2[0-3]):[0-5]\d(:00)?$/;

/** Throws when a rule has found a fault. */
export function refuse(fault: { path: string; message: string } | undefined): void {
  if (fault) invalid(fault.path, fault.message);
}

export function checkUuid(path: string, value: string): string {
  return isUuid(value) ? value.toLowerCase() : invalid(path, 'must be a UUID');
}

/** 1 to `max` characters after trimming. */
export function checkText(path: string, value: string, max: number): string {
  const text = value.trim();
  if (text === '') invalid(path, 'must not be empty');
  return checkLength(path, text, max);
}

/** Null when absent or blank. */
export function checkOptionalText(path: string, value: string | undefined, max: number): string | null {
  const text = value?.trim();
  return text ? checkLength(path, text, max) : null;
}

function checkLength(path: string, text: string, max: number): string {
  if (text.length > max) invalid(path, `must have at most ${max} characters`);
  if (text.includes('\0') || !text.isWellFormed()) invalid(path, 'must be well-formed text without NUL');
  return text;
}

/** A calendar date that exists, YYYY-MM-DD, years 1900 to 2199. */
export function checkDate(path: string, value: string): string {
  const [, year, month, day] = DATE.exec(value)?.map(Number) ?? invalid(path, 'must be YYYY-MM-DD');
  const date = new Date(Date.UTC(year ?? 0, (month ?? 0) - 1, day));
  const exists = date.getUTCFullYear() === year && date.getUTCMonth() + 1 === month && date.getUTCDate() === day && year >= 1900 && year < 2200;
  return exists ? value : invalid(path, 'must be a date that exists');
}

/** A time of day as HH:MM. */
export function checkTime(path: string, value: string): string {
  return TIME.test(value) ? value.slice(0, 5) : invalid(path, 'must be HH:MM');
}

export function checkInteger(path: string, value: number, min: number, max: number): number {
  return Number.isInteger(value) && value >= min && value <= max ? value : invalid(path, `must be an integer from ${min} to ${max}`);
}

export function checkOneOf<T extends string>(path: string, value: string, allowed: readonly T[]): T {
  return allowed.find((one) => one === value) ?? invalid(path, `must be one of ${allowed.join(', ')}`);
}

export type Page = { page: number; limit: number; offset: number };

/** Absent (0) means the first page and the default limit. */
export function checkPage(request: { page: number; limit: number }, defaultLimit: number, maxLimit: number): Page {
  const page = checkInteger('page', request.page || 1, 1, 1_000_000);
  const limit = checkInteger('limit', request.limit || defaultLimit, 1, maxLimit);
  return { page, limit, offset: (page - 1) * limit };
}
