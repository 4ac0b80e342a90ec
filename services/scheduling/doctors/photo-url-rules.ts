// The address of a doctor's photo on another server.
import { invalid } from '@clinic/lib/errors/errors.ts';
import { parseOptionalText } from '@clinic/lib/formats/text.ts';

/** Null when absent or blank. Browsers do not show http pictures on https pages. */
export function parsePhotoUrl(value: string | undefined): string | null {
  const url = parseOptionalText('photoUrl', value, 2000);
  if (url && !/^https:\/\//i.test(url)) invalid('photoUrl', 'must be an https URL');
  return url;
}
