// NIT, the tax number of El Salvador: 14 digits, or the DUI of a person. The rule for its check digit is not published.
import { isDuiCheckDigitRight, normalizeDui } from './dui.ts';

/** What normalizeNit() requires, for a message. */
export const NIT_RULE = 'must be a NIT of 14 digits, or a DUI';

/** The digits alone, or undefined. Spaces and dashes are ignored. */
export function normalizeNit(text: string): string | undefined {
  const digits = text.replaceAll(/[\s-]/g, '');
  const dui = normalizeDui(digits);
  return /^\d{14}$/.test(digits) || (dui !== undefined && isDuiCheckDigitRight(dui)) ? digits : undefined;
}
