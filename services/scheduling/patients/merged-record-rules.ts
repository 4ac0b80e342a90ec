// A record that was merged into another patient is no longer changed.
import { type Detail, fail } from '@clinic/lib/errors/errors.ts';

/** Throws CONFLICT with the patient whom the record was merged into. */
export function refuseMerged({ merged_into }: { merged_into: string | null }): void {
  if (merged_into) fail('CONFLICT', `This record was merged into patient ${merged_into}: use that patient, or undo the merge`, mergedInto(merged_into));
}

export const mergedInto = (id: string): Detail[] => [{ path: 'merged_into', message: id }];
