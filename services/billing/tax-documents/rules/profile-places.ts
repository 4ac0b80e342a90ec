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
  // The last merge in which a patient took part decides, as in findMergeOf().
  const last = new Map(merges.flatMap((merge) => [merge.kept_id, merge.merged_id].map((id) => [id, merge])));
  const movers = merges.filter(({ profile }) => profile);
  const trace = (holder: string) =>
    movers.some(({ merged_id }) => merged_id === holder)
      ? holder
      : movers.reduceRight((at, { kept_id, merged_id }) => (kept_id === at ? merged_id : at), holder);
  const owners = new Map(holders.map((holder) => [holder, trace(holder)]));
  const profiles = [...owners]
    .map(([from, traced]) => {
      // A request may have stored a profile of a merged patient after the earlier one was moved: that one then stays where it is.
      const owner = owners.get(traced) === traced ? from : traced;
      return { from, owner, ...remainingOf(last, owner) };
    })
    .toSorted((a, b) => (a.merge_ids.join() < b.merge_ids.join() ? -1 : 1));
  const first = new Map(profiles.toReversed().map((one) => [one.remaining, one]));
  const placed = profiles.map((one) => (first.get(one.remaining) === one ? { ...one, to: one.remaining } : { ...one, to: one.owner, merge_ids: [] }));
  return { moves: placed.filter(({ from, to }) => from !== to).map(({ from, to }) => ({ from, to })), merge_ids: placed.flatMap(({ merge_ids }) => merge_ids) };
}

/**
 * The patient who remains, and the merges that lead there, the last one first. `last` has the last merge of each patient. In the order of these merges, the
 * remaining patient's own profile is the first one.
 */
function remainingOf(last: Map<string, ProfileMerge>, patient: string): { remaining: string; merge_ids: string[] } {
  let remaining = patient;
  const merge_ids: string[] = [];
  for (let merge = last.get(patient); merge && !merge.undone && merge.merged_id === remaining; merge = last.get(remaining)) {
    merge_ids.unshift(merge.merge_id);
    remaining = merge.kept_id;
  }
  return { remaining, merge_ids };
}
