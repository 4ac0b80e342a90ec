// Phone numbers, stored as E.164.
import { type CountryCode, parsePhoneNumberFromString, parsePhoneNumberWithError } from 'libphonenumber-js/core'; // half of the modules of the package
import metadata from 'libphonenumber-js/min/metadata';
import { invalid } from '../errors/errors.ts';

const E164 = /^\+[1-9]\d{4,14}$/;
/** From this length on, a number that is not valid in the country begins with a country code. */
const MIN_WITH_COUNTRY_CODE = 11;

/** The whole text is parsed: a number in the middle of other text is none. */
const strict = (country: string) => ({ defaultCountry: country as CountryCode, extract: false });

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
    const parsed = parsePhoneNumberWithError(text, strict(country), metadata);
    if (parsed.ext) return undefined; // E.164 has no extension, so one would be lost
    if (parsed.isValid() || text.startsWith('+') || parsed.nationalNumber.length < MIN_WITH_COUNTRY_CODE)
      return parsed.isPossible() ? parsed.number : undefined;
    const international = parsePhoneNumberWithError(`+${text.replaceAll(/\D/g, '')}`, metadata);
    return international.isValid() ? international.number : undefined;
  } catch {
    return undefined; // not a number, or an unknown country
  }
}

/** Whether the text is a number of `country` or begins with a country code, and has a length that numbers of its country have. */
export const isPossiblePhone = (text: string, country: string): boolean => parsePhoneNumberFromString(text, strict(country), metadata)?.isPossible() === true;

/** The digits of the country code of a number, as E.164; undefined when it has none that libphonenumber knows. */
export const countryCallingCode = (phone: string): string | undefined => parsePhoneNumberFromString(phone, metadata)?.countryCallingCode;

export function parsePhone(path: string, value: string, country: string): string {
  return toE164(value, country) ?? invalid(path, 'must be a phone number, for example +50371234567');
}

/** The digits of a search for part of a phone number, in any spelling; undefined when the text contains anything else. */
export function phoneDigits(search: string): string | undefined {
  const digits = search.replaceAll(/[\s()+.-]/g, '');
  return /^\d+$/.test(digits) ? digits : undefined;
}
