// Merges of records, of which each service stores its own table: where they lead.

/** `merge_id` is a UUIDv7, so that merges are in the order in which they were made. */
export type Merge = { merge_id: string; kept_id: string; merged_id: string; undone: boolean };

/** The last merge of each record. It decides, since earlier ones were undone before it. `merges` are in the order of their ids. */
export const lastMerges = (merges: Merge[]) => new Map(merges.flatMap((merge) => [merge.kept_id, merge.merged_id].map((id) => [id, merge])));

/**
 * The record that remains of `id`, and the merges that lead there, the last one first. In the order of these merges, what belongs to the remaining record
 * itself is first.
 */
export function remainingOf(last: Map<string, Merge>, id: string): { remaining: string; merge_ids: string[] } {
  let remaining = id;
  const merge_ids: string[] = [];
  for (let merge = last.get(id); merge && !merge.undone && merge.merged_id === remaining; merge = last.get(remaining)) {
    merge_ids.unshift(merge.merge_id);
    remaining = merge.kept_id;
  }
  return { remaining, merge_ids };
}

/**
 * Where records belong of which a patient has one for each `slot`. `merges` are all merges of the patients in the order of their ids; `owner` is the patient
 * whose own record it is. A patient who was not merged has the own record, or else that of the patient who was merged first: `to` is this patient, and
 * `merge_ids` are the merges that move the record. All others belong to their owners.
 */
export function placeOnePerSlot<R extends { owner: string; slot: string }>(merges: Merge[], records: R[]): (R & { to: string; merge_ids: string[] })[] {
  const last = lastMerges(merges);
  const traced = records
    .map((record) => ({ ...record, ...remainingOf(last, record.owner) }))
    .toSorted((a, b) => (a.merge_ids.join() < b.merge_ids.join() ? -1 : 1));
  const placeOf = ({ remaining, slot }: { remaining: string; slot: string }) => `${remaining} ${slot}`;
  const first = new Map(traced.toReversed().map((one) => [placeOf(one), one]));
  return traced.map((one) => (first.get(placeOf(one)) === one ? { ...one, to: one.remaining } : { ...one, to: one.owner, merge_ids: [] }));
}
