// What a neighbour asks for: one plan, or a page of all that begins before every id when nothing came before.
const FIRST = '00000000-0000-0000-0000-000000000000';
const MOST = 1_000;

/** Clinic, id and limit. */
export function pageOf({ afterClinicId, afterId, limit }: { afterClinicId: string; afterId: string; limit: number }): [string, string, number] {
  return [afterClinicId || FIRST, afterId || FIRST, Math.min(Math.max(limit, 1), MOST)];
}
