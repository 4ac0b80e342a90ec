// Which patient has which tax profile after merges of patients: decided by the merges and by whose profiles they are, and not by the order in which the
// merges were handled.

export type ProfileMerge = {
  merge_id: string;
  kept_id: string;
  merged_id: string;
  undone: boolean;
  /** Whether a profile was moved by this merge, and not back. */
  profile: boolean;
};

/**
 * The profiles to move, and the merges by which profiles are moved then. `merges` are all merges of these patients in the order of their ids, and
 * `holders` the patients with a profile. A patient who was not merged has the own profile, or else that of the patient who was merged first. All other
 * profiles belong to their own patients.
 */
export function placeProfiles(merges: ProfileMerge[], holders: string[]): { moves: { from: string; to: string }[]; merge_ids: string[] } {
  const newestFirst = merges.toReversed();
  // The last merge in which a patient took part decides, as in findMergeOf().
  const last = new Map(merges.flatMap((merge) => [merge.kept_id, merge.merged_id].map((id) => [id, merge])));
  const hasMoved = (patient: string) => merges.some(({ profile, merged_id }) => profile && merged_id === patient);
  const ownerOf = (holder: string) =>
    hasMoved(holder) ? holder : newestFirst.reduce((at, { profile, kept_id, merged_id }) => (profile && kept_id === at ? merged_id : at), holder);
  const traced = holders.map((holder) => ({ holder, owner: ownerOf(holder) }));
  // A request may have stored a profile of a merged patient after the earlier one was moved: that one then stays where it is.
  const isReplaced = ({ holder, owner }: { holder: string; owner: string }) => holder !== owner && holders.includes(owner) && ownerOf(owner) === owner;
  const profiles = traced
    .map((one) => {
      const owner = isReplaced(one) ? one.holder : one.owner;
      return { ...one, owner, ...remainingOf(last, owner) };
    })
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const placed = profiles.map((one) => {
    const isFirst = profiles.find(({ remaining }) => remaining === one.remaining) === one;
    return { from: one.holder, to: isFirst ? one.remaining : one.owner, merge_ids: isFirst ? one.merge_ids : [] };
  });
  return { moves: placed.filter(({ from, to }) => from !== to).map(({ from, to }) => ({ from, to })), merge_ids: placed.flatMap(({ merge_ids }) => merge_ids) };
}

/**
 * The patient who remains, and the merges that lead there. `last` has the last merge of each patient. Paths sort the remaining patient's own profile first,
 * then by the order of merges.
 */
function remainingOf(last: Map<string, ProfileMerge>, patient: string): { remaining: string; merge_ids: string[]; path: string } {
  let remaining = patient;
  const merge_ids: string[] = [];
  for (let merge = last.get(patient); merge && !merge.undone && merge.merged_id === remaining; merge = last.get(remaining)) {
    merge_ids.unshift(merge.merge_id);
    remaining = merge.kept_id;
  }
  return { remaining, merge_ids, path: merge_ids.join() };
}
