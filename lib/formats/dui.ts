// DUI, the national identity number of El Salvador: eight digits and a check digit.
import { invalid } from '../errors/errors.ts';

/** `########-#`, or undefined. Spaces and dashes are ignored. A wrong check digit is accepted: isDuiCheckDigitRight() checks it. */
export function normalizeDui(text: string): string | undefined {
  const digits = text.replaceAll(/[\s-]/g, '');
  return /^\d{9}$/.test(digits) ? `${digits.slice(0, 8)}-${digits.slice(8)}` : undefined;
}

export const parseDui = (path: string, value: string): string => normalizeDui(value) ?? invalid(path, 'must be 8 digits, a dash and 1 digit');

/** The check digit of eight digits: (10 − Σ dᵢ·(9−i) mod 10) mod 10. */
export function duiCheckDigit(digits: string): number {
  const sum = [...digits].reduce((total, digit, index) => total + Number(digit) * (9 - index), 0);
  return (10 - (sum % 10)) % 10;
}

/** Nine zeros are not a valid DUI. */
export function isDuiCheckDigitRight(dui: string): boolean {
  const digits = dui.slice(0, 8);
  return digits !== '00000000' && Number(dui.at(-1)) === duiCheckDigit(digits);
}

/** `******78-9`. */
export const maskDui = (dui: string): string => `******${dui.slice(-4)}`;
