// Parses the phone of a clinic or a user. It is only shown, on documents and public pages for example, and never called, searched or
// compared. So it is stored as it was typed: E.164, as the phones of patients are stored, would lose its spacing and extension.
import { invalid } from '@clinic/lib/errors/errors.ts';
import { isPossiblePhone, MAX_PHONE_LENGTH, toE164 } from '@clinic/lib/formats/phone.ts';
import { parseOptionalText } from '@clinic/lib/formats/text.ts';

/** The trimmed text, or null if it is absent or empty. Throws VALIDATION_ERROR unless it is a number of `country` (ISO 3166-1 alpha-2) or begins with +. */
export function parseShownPhone(phone: string | undefined, country: string): string | null {
  const text = parseOptionalText('phone', phone, MAX_PHONE_LENGTH);
  return text === null || isPhone(text, country) ? text : invalid('phone', 'must be a phone number, for example +50371234567');
}

const isPhone = (text: string, country: string): boolean => toE164(text, country) === text || isPossiblePhone(text, country);
