// A record that was merged into another patient cannot be changed.
import { type Detail, fail } from '@clinic/lib/errors/errors.ts';

/** Throws CONFLICT, which names the patient into whom the record was merged. */
export function refuseMerged({ merged_into }: { merged_into: string | null }): void {
  if (merged_into) fail('CONFLICT', `This record was merged into patient ${merged_into}: use that patient, or undo the merge`, mergedInto(merged_into));
}

export const mergedInto = (id: string): Detail[] => [{ path: 'merged_into', message: id }];
