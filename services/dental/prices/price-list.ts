// The price list of the clinic: procedures of the catalogue and the clinic's own, by code.
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { invalid } from '@clinic/lib/errors/errors.ts';
import { parseCents } from '@clinic/lib/formats/money.ts';
import { PRICE_CODE, PRICE_CODE_RULE } from '@clinic/lib/formats/price-code.ts';
import { parseOptionalText } from '@clinic/lib/formats/text.ts';
import { toFields } from '@clinic/lib/formats/to-fields.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { ListPricesRequest, ReplacePricesRequest } from '@clinic/proto/dental/v1/price_pb.js';
import type { App } from '../app.ts';
import { findPrices, listPrices as list, type NewPrice, type PriceRow, replacePrices as replace } from './prices.sql.ts';
import { PROCEDURES, procedureOf } from './procedure-rules.ts';

const MAX_PRICES = 1_000;

export const listPrices = async (app: App, _request: ListPricesRequest, call: Call) => toPriceList(await findPrices(app.db, clinicOf(call).id));

/** Existing plans and quotes keep their prices. */
export async function replacePrices(app: App, request: ReplacePricesRequest, call: Call) {
  const { id } = clinicOf(call);
  const prices = parsePrices(request);
  return inTenant(app.db, id, async (tx) => {
    const isChanged = await replace(tx, prices, app.clock.now());
    if (isChanged) await audit(tx, id, call.caller, { action: 'prices.replaced', entityId: id, changes: { lines: prices.length } });
    return toPriceList(await list(tx));
  });
}

function parsePrices({ prices }: ReplacePricesRequest): NewPrice[] {
  if (prices.length > MAX_PRICES) invalid('prices', `must have at most ${MAX_PRICES} prices`);
  const seen = new Set<string>();
  return prices.flatMap(({ code, name, price }, index): NewPrice[] => {
    const path = `prices.${index}`;
    if (!PRICE_CODE.test(code)) invalid(`${path}.code`, PRICE_CODE_RULE);
    if (seen.has(code)) invalid(`${path}.code`, 'must be given once');
    seen.add(code);
    const namePath = `${path}.name`;
    const label =
      parseOptionalText(namePath, name, 200) ?? procedureOf(code)?.nameEs ?? invalid(namePath, 'is required for a code that is not in the catalogue');
    return price === undefined ? [] : [{ code, name: label, price_cents: parseCents(`${path}.price`, price) }];
  });
}

function toPriceList(prices: readonly PriceRow[]) {
  const priced = prices.map((row) => ({ ...toFields(row), price: row.price_cents }));
  const unpriced = PROCEDURES.filter(({ code }) => !prices.some((price) => price.code === code)).map(({ code, nameEs }) => ({ code, name: nameEs }));
  return { prices: [...priced, ...unpriced].toSorted((a, b) => (a.code < b.code ? -1 : 1)) };
}
