// Numbers by which the tax authority identifies people and companies. They are stored without dashes.
import { isDuiCheckDigitRight, normalizeDui } from '@clinic/lib/formats/dui.ts';
import { NIT_RULE, normalizeNit } from '@clinic/lib/formats/nit.ts';
import type { Fault } from './address.ts';
import type { Generation } from './kinds.ts';

export type Person = { name: string; documentType: string; documentNumber: string };

/** CAT-022. */
const DOCUMENT_TYPES = ['36', '13', '37', '03', '02'] as const;
export const NIT = '36';
const DUI = '13';

/** The text without blanks and dashes, for NIT, NRC and DUI. */
export const digits = (text: string): string => text.replaceAll(/[\s-]/g, '');

export const isNit = (number: string): boolean => normalizeNit(number) !== undefined;

export const isNrc = (number: string): boolean => /^\d{2,8}$/.test(number);

/** What is wrong with a number of this type, or undefined. */
function numberFault(type: string, number: string): string | undefined {
  if (type === DUI) {
    const dui = normalizeDui(number);
    return dui && isDuiCheckDigitRight(dui) ? undefined : 'must be a DUI with a correct check digit';
  }
  if (type === NIT) return isNit(number) ? undefined : NIT_RULE;
  return /^[\w -]{3,20}$/.test(number.trim()) ? undefined : 'must have 3 to 20 letters, digits or dashes';
}

/** What is wrong with the type and the number of an identity document. */
export function documentFault(path: string, type: string, number: string): Fault | undefined {
  if (!DOCUMENT_TYPES.some((one) => one === type)) return { path: `${path}.documentType`, message: `must be one of ${DOCUMENT_TYPES.join(', ')}` };
  const message = numberFault(type, number);
  return message === undefined ? undefined : { path: `${path}.documentNumber`, message };
}

/** What is wrong with a person whom an issuer or an invalidation names. */
export function personFault(path: string, { name, documentType, documentNumber }: Person): Fault | undefined {
  if (name.length < 5 || name.length > 100) return { path: `${path}.name`, message: 'must have 5 to 100 characters' };
  return documentFault(path, documentType, documentNumber);
}

/** The number as it is stored. */
export const normalizeNumber = (type: string, number: string): string => (type === DUI || type === NIT ? digits(number) : number.trim());

/** The number as documents contain it: the legacy schemas require a DUI with its dash. */
export function formatNumber(type: string | null, number: string, generation: Generation): string {
  return (generation === 'legacy' && type === DUI && normalizeDui(number)) || number;
}
