// Which patient has which recall contact after merges of patients. A patient has one contact a day at most, so that not every contact can follow a merge.
// Decided by the merges and by whose contacts they are, and not by the order in which the merges were handled.
import { type Merge, placeOnePerSlot } from '@clinic/lib/merges/remaining-rules.ts';

/** `recall_contacts`: the contacts that the merge has moved. */
export type ContactMerge = Merge & { recall_contacts: string[] };
type Contact = { id: string; patient_id: string; day: string };
type Places = { moves: { id: string; from: string; to: string }[]; moved: { merge_id: string; id: string }[] };

/**
 * The contacts to move, and which merges move which contacts then. `merges` are all merges of these patients in the order of their ids. Of the contacts of a
 * day, a patient who was not merged has the own one, or else that of the patient who was merged first. All others belong to their own patients.
 */
export function placeContacts(merges: ContactMerge[], contacts: Contact[]): Places {
  // The first merge that has moved a contact has moved it from its own patient.
  const owners = new Map(merges.toReversed().flatMap(({ merged_id, recall_contacts }) => recall_contacts.map((id) => [id, merged_id])));
  const placed = placeOnePerSlot(
    merges,
    contacts.map(({ id, patient_id, day }) => ({ id, patient_id, owner: owners.get(id) ?? patient_id, slot: day })),
  );
  return {
    moves: placed.filter(({ patient_id, to }) => patient_id !== to).map(({ id, patient_id, to }) => ({ id, from: patient_id, to })),
    moved: placed.flatMap(({ id, merge_ids }) => merge_ids.map((merge_id) => ({ merge_id, id }))),
  };
}
