// Kinds of documents and the two generations of their schemas. Which generation holds is decided by the day of issue.

/** 01 factura, 03 comprobante de crédito fiscal, 05 nota de crédito. */
export type Kind = '01' | '03' | '05';
export type Generation = 'legacy' | 'current';

/** Days are YYYY-MM-DD, in which text order is time order. */
export const generationOn = (day: string, cutover: string): Generation => (day < cutover ? 'legacy' : 'current');

const VERSIONS = {
  legacy: { '01': 1, '03': 3, '05': 3, invalidation: 2, contingency: 3 },
  current: { '01': 2, '03': 4, '05': 4, invalidation: 3, contingency: 4 },
} as const;

export const versionOf = (what: Kind | 'invalidation' | 'contingency', generation: Generation): number => VERSIONS[generation][what];

export const KIND_NAMES: Record<Kind, string> = { '01': 'Factura', '03': 'Comprobante de crédito fiscal', '05': 'Nota de crédito' };
