// Phone numbers, stored as E.164.
import { type CountryCode, parsePhoneNumberWithError } from 'libphonenumber-js';
import { invalid } from '../errors/errors.ts';

const E164 = /^\+[1-9]\d{4,14}$/;
/** From this length on, a number that is not valid in the country begins with a country code. */
const MIN_WITH_COUNTRY_CODE = 11;

/** Maximum length of a phone number in a request. */
export const MAX_PHONE_LENGTH = 40;

/**
 * The number as E.164, or undefined. A number that is E.164 already is returned unchanged, since the chat provider reports numbers that
 * libphonenumber does not know yet; any other format is parsed as a number of `country` (ISO 3166-1 alpha-2), or with a country code without a plus.
 */
export function toE164(phone: string, country: string): string | undefined {
  const text = phone.trim();
  if (E164.test(text)) return text;
  if (text.length > MAX_PHONE_LENGTH) return undefined;
  try {
    const parsed = parsePhoneNumberWithError(text, { defaultCountry: country as CountryCode, extract: false }); // letters are not ignored
    if (parsed.ext) return undefined; // E.164 has no extension, so one would be lost
    if (parsed.isValid() || text.startsWith('+') || parsed.nationalNumber.length < MIN_WITH_COUNTRY_CODE)
      return parsed.isPossible() ? parsed.number : undefined;
    const international = parsePhoneNumberWithError(`+${text.replaceAll(/\D/g, '')}`);
    return international.isValid() ? international.number : undefined;
  } catch {
    return undefined; // not a number, or an unknown country
  }
}

export function parsePhone(path: string, value: string, country: string): string {
  return toE164(value, country) ?? invalid(path, 'must be a phone number, for example +50371234567');
}

/** The digits of a search for part of a phone number, in any spelling; undefined when the text contains anything else. */
export function phoneDigits(search: string): string | undefined {
  const digits = search.replaceAll(/[\s()+.-]/g, '');
  return /^\d+$/.test(digits) ? digits : undefined;
}
