// Where a doctor's photo may lie when it is not ours.

import { invalid } from '@clinic/lib/errors/errors.ts';
import { parseOptionalText } from '@clinic/lib/formats/text.ts';

/** Null when absent or blank. A page by https shows no picture that comes by less. */
export function checkPhotoUrl(value: string | undefined): string | null {
  const url = parseOptionalText('photoUrl', value, 2000);
  if (url && !/^https:\/\//i.test(url)) invalid('photoUrl', 'must be an https URL');
  return url;
}
