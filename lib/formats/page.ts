import { NIL } from 'uuid';
import { parseInteger } from './numbers.ts';

export const MAX_PAGE = 1_000_000;

export type Page = { page: number; limit: number; offset: number };

/** Absent (0) means the first page and the default limit. */
export function parsePage(request: { page: number; limit: number }, defaultLimit: number, maxLimit: number): Page {
  const page = parseInteger('page', request.page || 1, 1, MAX_PAGE);
  const limit = parseInteger('limit', request.limit || defaultLimit, 1, maxLimit);
  return { page, limit, offset: (page - 1) * limit };
}

/**
 * For RPCs by which another service rebuilds a projection: returns the position (clinic id and row id) after which a page of the rows of all clinics
 * begins, and its limit. Rows are ordered by clinic and id. An absent position precedes every id; the limit is clamped to 1…`maxLimit`.
 */
export function toKeysetPage(request: { afterClinicId: string; afterId: string; limit: number }, maxLimit: number): [string, string, number] {
  return [request.afterClinicId || NIL, request.afterId || NIL, Math.min(Math.max(request.limit, 1), maxLimit)];
}
