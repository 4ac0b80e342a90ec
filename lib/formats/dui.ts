// DUI, the national identity number of El Salvador: eight digits and a check digit.
import { invalid } from '../errors/errors.ts';

/** `########-#`, or undefined. Spaces and dashes are ignored. A wrong check digit is accepted: isDuiCheckDigitRight() checks it. */
export function normalizeDui(text: string): string | undefined {
  const digits = text.replaceAll(/[\s-]/g, '');
  return /^\d{9}$/.test(digits) ? `${digits.slice(0, 8)}-${digits.slice(8)}` : undefined;
}

export const parseDui = (path: string, value: string): string => normalizeDui(value) ?? invalid(path, 'must be 8 digits, a dash and 1 digit');

/** Σ dᵢ·(9−i); the check digit is (10 − Σ mod 10) mod 10. Nine zeros are not a valid DUI. */
export function isDuiCheckDigitRight(dui: string): boolean {
  const digits = [...dui.replace('-', '')].map(Number);
  const sum = digits.slice(0, 8).reduce((total, digit, index) => total + digit * (9 - index), 0);
  return sum > 0 && (10 - (sum % 10)) % 10 === digits[8];
}

/** `******78-9`. */
export const maskDui = (dui: string): string => `******${dui.slice(-4)}`;
