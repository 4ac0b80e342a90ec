// Numbers by which the authority knows people and companies. Kept without dashes; a document spells them as its schema asks.

/** CAT-022. */
export const DOCUMENT_TYPES = ['36', '13', '37', '03', '02'] as const;
export const NIT = '36';
export const DUI = '13';

/** Digits alone, for NIT, NRC and DUI. */
export const digits = (text: string): string => text.replaceAll(/[\s-]/g, '');

/** 8 digits and a check digit: Σ dᵢ·(9−i), check = (10 − Σ mod 10) mod 10. */
export function isDui(text: string): boolean {
  if (!/^\d{9}$/.test(text) || text === '000000000') return false;
  const total = [...text.slice(0, 8)].reduce((all, digit, index) => all + Number(digit) * (9 - index), 0);
  return (10 - (total % 10)) % 10 === Number(text[8]);
}

/** 14 digits, or a DUI that serves as NIT. The check digit of a NIT is not published, so it is not asked for. */
export const isNit = (text: string): boolean => /^\d{14}$/.test(text) || isDui(text);

export const isNrc = (text: string): boolean => /^\d{2,8}$/.test(text);

/** What is wrong with a number of this type, or undefined. */
export function numberFault(type: string, number: string): string | undefined {
  if (type === DUI) return isDui(digits(number)) ? undefined : 'must be a DUI with a right check digit';
  if (type === NIT) return isNit(digits(number)) ? undefined : 'must be a NIT of 14 digits, or a DUI';
  return /^[\w -]{3,20}$/.test(number.trim()) ? undefined : 'must have 3 to 20 letters, digits or dashes';
}

/** The number as it is kept. */
export const plainNumber = (type: string, number: string): string => (type === DUI || type === NIT ? digits(number) : number.trim());

/** A DUI with its dash. */
export const dashed = (dui: string): string => `${dui.slice(0, 8)}-${dui.slice(8)}`;
