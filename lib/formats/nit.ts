// NIT, the tax number of El Salvador: 14 digits, or the DUI of a person, which serves as NIT since 2021. Its check digit is not published.
import { invalid } from '../errors/errors.ts';
import { isDuiCheckDigitRight, normalizeDui } from './dui.ts';

/** The digits alone, or undefined. Blanks and dashes may stand anywhere. */
export function normalizeNit(text: string): string | undefined {
  const digits = text.replaceAll(/[\s-]/g, '');
  const dui = normalizeDui(digits);
  return /^\d{14}$/.test(digits) || (dui !== undefined && isDuiCheckDigitRight(dui)) ? digits : undefined;
}

export function parseNit(path: string, value: string): string {
  return normalizeNit(value) ?? invalid(path, 'must be a NIT of 14 digits, or a DUI');
}
