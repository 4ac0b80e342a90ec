// Whether one record of a patient can be merged into another, and which fields the remaining one takes over.
import { type Detail, invalid } from '@clinic/lib/errors/errors.ts';
import { parseUuid } from '@clinic/lib/formats/uuid.ts';
import { mergedInto } from '../patients/merged-record-rules.ts';

/** The two different patients of a request. */
export function parsePair(request: { keepId: string; mergeId: string }) {
  const [keepId, mergeId] = [parseUuid('keepId', request.keepId), parseUuid('mergeId', request.mergeId)];
  if (keepId === mergeId) invalid('mergeId', 'must be another patient');
  return { keepId, mergeId };
}

export type Candidate = {
  id: string;
  full_name: string;
  phone: string | null;
  dui_index: Buffer | null;
  email: string | null;
  birth_date: string | null;
  gender: string | null;
  address: string | null;
  notes: string | null;
  archived_at: Date | null;
  merged_into: string | null;
};

/** Fields that the remaining record takes over when it has none. */
export const FILLED = ['dui', 'email', 'birth_date', 'gender', 'address', 'notes'] as const;
export type Filled = (typeof FILLED)[number];

export type MergeDecision = { refused: string; details?: Detail[] } | { filled: Filled[]; differing: string[] };

export function decideMerge(keep: Candidate, merge: Candidate): MergeDecision {
  if (keep.merged_into) return { refused: `The patient to keep was merged into patient ${keep.merged_into}`, details: mergedInto(keep.merged_into) };
  if (keep.archived_at) return { refused: 'The patient to keep is archived: restore it first' };
  if (merge.merged_into) return { refused: `The patient to merge was merged into patient ${merge.merged_into}`, details: mergedInto(merge.merged_into) };
  // The merged record keeps its phone, so that undoing the merge can restore it in any case.
  if (!keep.phone && merge.phone) return { refused: 'Keep the patient with a phone, and merge the one without' };
  const differing = (['full_name', 'phone', ...FILLED] as const).filter(
    (field) => fieldValue(keep, field) && fieldValue(merge, field) && !isSame(keep, merge, field),
  );
  return { filled: FILLED.filter((field) => !fieldValue(keep, field) && fieldValue(merge, field)), differing };
}

type Compared = Filled | 'full_name' | 'phone';

const fieldValue = (candidate: Candidate, field: Compared) => (field === 'dui' ? (candidate.dui_index?.toString('hex') ?? null) : candidate[field]);

const isSame = (keep: Candidate, merge: Candidate, field: Compared) => fieldValue(keep, field) === fieldValue(merge, field);

/**
 * The no-shows of the merged patient after an undo: the count at the merge, changed by what happened to the moved appointments since.
 * `missedThen` and `missedNow` are the no-shows among them at the merge and now.
 */
export function noShowsAfterUndo(countAtMerge: number, missedThen: number, missedNow: number): number {
  return Math.max(0, countAtMerge + missedNow - missedThen);
}
