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
 * For services that rebuild a projection: parses the position (clinic id and row id) and the limit of a page of the rows of all clinics,
 * ordered by clinic and id. The position of the first page precedes every id; the limit is restricted to 1…`maxLimit`.
 */
export function toKeysetPage(request: { afterClinicId: string; afterId: string; limit: number }, maxLimit: number): [string, string, number] {
  return [request.afterClinicId || NIL, request.afterId || NIL, Math.min(Math.max(request.limit, 1), maxLimit)];
}
