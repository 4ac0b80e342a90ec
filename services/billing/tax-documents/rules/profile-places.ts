// Which patient has which tax profile after merges of patients: decided by the merges and by whose profiles they are, and not by the order in which the
// merges were handled.
import { type Merge, placeOnePerSlot } from '@clinic/lib/merges/remaining-rules.ts';

/** `profile`: whether a profile was moved by this merge, and not back. */
export type ProfileMerge = Merge & { profile: boolean };

/**
 * The profiles to move, and the merges by which profiles are moved then. `merges` are all merges of these patients in the order of their ids, and
 * `holders` the patients with a profile. A patient who was not merged has the own profile, or else that of the patient who was merged first. All other
 * profiles belong to their own patients.
 */
export function placeProfiles(merges: ProfileMerge[], holders: string[]): { moves: { from: string; to: string }[]; merge_ids: string[] } {
  const movers = merges.filter(({ profile }) => profile);
  const trace = (holder: string) =>
    movers.some(({ merged_id }) => merged_id === holder)
      ? holder
      : movers.reduceRight((at, { kept_id, merged_id }) => (kept_id === at ? merged_id : at), holder);
  const owners = new Map(holders.map((holder) => [holder, trace(holder)]));
  const placed = placeOnePerSlot(
    merges,
    // A request may have stored a profile of a merged patient after the earlier one was moved: that one then stays where it is.
    [...owners].map(([from, traced]) => ({ from, owner: owners.get(traced) === traced ? from : traced, slot: '' })),
  );
  return { moves: placed.filter(({ from, to }) => from !== to).map(({ from, to }) => ({ from, to })), merge_ids: placed.flatMap(({ merge_ids }) => merge_ids) };
}
