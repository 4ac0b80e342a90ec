// The two records that a merge, or its preview, is about.

import { invalid } from '@clinic/lib/errors/errors.ts';
import { parseUuid } from '@clinic/lib/formats/uuid.ts';

/** Both ids, which differ. */
export function checkPair(request: { keepId: string; mergeId: string }) {
  const [keepId, mergeId] = [parseUuid('keepId', request.keepId), parseUuid('mergeId', request.mergeId)];
  if (keepId === mergeId) invalid('mergeId', 'must be another patient');
  return { keepId, mergeId };
}
