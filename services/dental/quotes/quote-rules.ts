// The lines of a quote.
import type { Detail } from '@clinic/lib/errors/errors.ts';

export const QUOTE_DAYS = 30;

type Step = { id: string; step_order: number; procedure: string; tooth: number | null; status: string; estimated_cost_cents: bigint | null };
/** `price_cents` is a number, because lines are stored as JSON; null when the price is unknown. */
export type QuoteLine = { procedure: string; tooth: number | null; price_cents: number | null };

/** One line per step that is not skipped. */
export function quoteLines(steps: readonly Step[]): QuoteLine[] {
  return steps
    .filter(({ status }) => status !== 'skipped')
    .map(({ procedure, tooth, estimated_cost_cents }) => ({
      procedure,
      tooth,
      price_cents: estimated_cost_cents === null ? null : Number(estimated_cost_cents),
    }));
}

/** The steps without a price, as details of an error. */
export function unpricedSteps(steps: readonly Step[]): Detail[] {
  const unpriced = steps.filter(({ status, estimated_cost_cents }) => status !== 'skipped' && estimated_cost_cents === null);
  return unpriced.map(({ id, step_order, procedure }) => ({ path: `steps.${id}`, message: `step ${step_order}, ${procedure}, has no estimated_cost` }));
}

/** Whether each line has a price. Quotes that were created by earlier releases may have lines without one. */
export const isPriced = (lines: readonly QuoteLine[]): boolean => lines.every(({ price_cents }) => price_cents !== null);

export const sumOf = (lines: readonly QuoteLine[]): bigint => BigInt(lines.reduce((sum, { price_cents }) => sum + (price_cents ?? 0), 0));
