// One spelling of a phone: E.164.
import { type CountryCode, parsePhoneNumberWithError } from 'libphonenumber-js';

const E164 = /^\+[1-9]\d{4,14}$/;

/** The phone as E.164, or undefined when it cannot be read. What has that form already is taken as it is; the rest is read with the clinic's country. */
export function toE164(phone: string, country: string): string | undefined {
  const text = phone.trim();
  if (E164.test(text)) return text;
  try {
    const parsed = parsePhoneNumberWithError(text, country as CountryCode); // an unknown country makes it throw, as an unreadable phone does
    return parsed.isPossible() ? parsed.number : undefined;
  } catch {
    return undefined;
  }
}
