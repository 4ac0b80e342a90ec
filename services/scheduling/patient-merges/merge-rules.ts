// Whether one record of a patient can be merged into another, and which fields the remaining one takes over.
import { type Detail, invalid } from '@clinic/lib/errors/errors.ts';
import { parseUuid } from '@clinic/lib/formats/uuid.ts';
import { mergedInto } from '../patient-records/merged-record-rules.ts';

/** The two different patients of a request. */
export function parsePair(request: { keepId: string; mergeId: string }) {
  const [keepId, mergeId] = [parseUuid('keepId', request.keepId), parseUuid('mergeId', request.mergeId)];
  if (keepId === mergeId) invalid('mergeId', 'must be another patient');
  return { keepId, mergeId };
}

/** Fields that the remaining record takes over when its own are empty. */
const FILLED = ['dui', 'email', 'birth_date', 'gender', 'address', 'notes'] as const;
export type Filled = (typeof FILLED)[number];

type Candidate = Record<Exclude<Filled, 'dui'> | 'phone' | 'merged_into', string | null> & {
  full_name: string;
  dui_index: Buffer | null;
  archived_at: Date | null;
};
type MergeDecision = { refused: string; details?: Detail[] } | { filled: Filled[]; differing: string[] };

export function decideMerge(keep: Candidate, merge: Candidate): MergeDecision {
  if (keep.merged_into) return { refused: `The patient to keep was merged into patient ${keep.merged_into}`, details: mergedInto(keep.merged_into) };
  if (keep.archived_at) return { refused: 'The patient to keep is archived: restore it first' };
  if (merge.merged_into) return { refused: `The patient to merge was merged into patient ${merge.merged_into}`, details: mergedInto(merge.merged_into) };
  // The merged record keeps its phone, so that undoing the merge can restore it in any case.
  if (!keep.phone && merge.phone) return { refused: 'Keep the patient with a phone, and merge the one without' };
  const differing = (['full_name', 'phone', ...FILLED] as const).filter(
    (field) => fieldValue(keep, field) && fieldValue(merge, field) && fieldValue(keep, field) !== fieldValue(merge, field),
  );
  return { filled: FILLED.filter((field) => !fieldValue(keep, field) && fieldValue(merge, field)), differing };
}

const fieldValue = (candidate: Candidate, field: Filled | 'full_name' | 'phone') =>
  field === 'dui' ? (candidate.dui_index?.toString('hex') ?? null) : candidate[field];

/**
 * The no-shows of the merged patient after an undo: the count at the merge, changed by what happened to the moved appointments since.
 * `missedThen` and `missedNow` are the no-shows among them at the merge and now.
 */
export const noShowsAfterUndo = (countAtMerge: number, missedThen: number, missedNow: number) => Math.max(0, countAtMerge + missedNow - missedThen);
