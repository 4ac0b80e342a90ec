// Kinds of tax documents, and the two generations of their schemas. The day of issue decides which generation applies.

/** CAT-002: 01 factura, 03 comprobante de crédito fiscal, 05 nota de crédito. */
export type Kind = '01' | '03' | '05';
export type Generation = 'legacy' | 'current';
/** CAT-001: 00 test, 01 production. */
export type Environment = '00' | '01';

export const KIND_NAMES: Record<Kind, string> = { '01': 'Factura', '03': 'Comprobante de crédito fiscal', '05': 'Nota de crédito' };

/** Kinds and environments by their names in the public API. */
export const KINDS = { invoice: '01', credit_fiscal: '03', credit_note: '05' } as const;
export const ENVIRONMENTS = { test: '00', production: '01' } as const;

/** The reverse of KINDS and ENVIRONMENTS. */
export const TYPE_OF_KIND: Record<Kind, string> = { '01': 'invoice', '03': 'credit_fiscal', '05': 'credit_note' };
export const NAME_OF_ENVIRONMENT: Record<Environment, string> = { '00': 'test', '01': 'production' };

/** Days are YYYY-MM-DD, so text order is time order. */
export const generationOn = (day: string, cutover: string): Generation => (day < cutover ? 'legacy' : 'current');

const VERSIONS = {
  legacy: { '01': 1, '03': 3, '05': 3, invalidation: 2, contingency: 3 },
  current: { '01': 2, '03': 4, '05': 4, invalidation: 3, contingency: 4 },
} as const;

/** Version of the official schema. */
export const versionOf = (schema: Kind | 'invalidation' | 'contingency', generation: Generation): number => VERSIONS[generation][schema];
