// The lines of a quote.

export const QUOTE_DAYS = 30;

type Step = { procedure: string; tooth: number | null; status: string; estimated_cost_cents: bigint | null };
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

export function sumOf(lines: readonly QuoteLine[]): bigint {
  return BigInt(lines.reduce((sum, { price_cents }) => sum + (price_cents ?? 0), 0));
}
