// The steps of a generated treatment plan, from the untreated findings of a chart and the clinic's prices.
import type { Untreated } from '../../charts/rules/untreated.ts';
import { procedureOf } from '../../prices/procedure-rules.ts';

/** Characters, as many as a change of a step accepts. */
const MAX_PROCEDURE = 200;

type Price = { code: string; name: string; price_cents: bigint };

/** One step per finding, in their order. A procedure without a price has no cost. */
export function stepsFor(findings: readonly Untreated[], prices: readonly Price[]) {
  const priced = new Map(prices.map((price) => [price.code, price]));
  return findings.map(({ procedure: code, tooth, remaining, surfaces }) => {
    const name = priced.get(code)?.name ?? procedureOf(code)?.nameEs ?? code;
    return {
      procedure: describe(name, place(remaining, surfaces)),
      procedure_code: code,
      tooth,
      surfaces: [...surfaces],
      estimated_cost_cents: priced.get(code)?.price_cents ?? null,
    };
  });
}

/** The end of a name is omitted when the description would be longer than a procedure may be. */
function describe(name: string, place: string): string {
  const characters = [...name];
  const available = MAX_PROCEDURE - [...`, ${place}`].length;
  return `${characters.length > available ? `${characters.slice(0, available - 1).join('')}…` : name}, ${place}`;
}

function place(teeth: readonly number[], surfaces: readonly string[]): string {
  const where = teeth.length === 1 ? `diente ${teeth[0]}` : `dientes ${teeth.join(', ')}`;
  return surfaces.length > 0 ? `${where} (${surfaces.join('')})` : where;
}
