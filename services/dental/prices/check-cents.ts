// Amounts that a request gives.
import { invalid } from '@clinic/lib/errors/errors.ts';
import { MOST_CENTS } from './money-rules.ts';

/** An amount of more than nothing, in cents. */
export function checkCents(path: string, cents: bigint): bigint {
  return cents > 0n && cents <= MOST_CENTS ? cents : invalid(path, 'must be a positive amount of at most 99,999,999.99');
}

/** The same on change: 0 removes the amount. */
export const checkClearableCents = (path: string, cents: bigint) => (cents === 0n ? null : checkCents(path, cents));
