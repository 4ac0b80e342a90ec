// The price list as the contract returns it: procedures of the catalogue and the clinic's own, by code.
import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { ListPricesResponseSchema } from '@clinic/proto/dental/v1/price_pb.js';
import type { PriceRow } from './prices.sql.ts';
import { PROCEDURES } from './procedure-rules.ts';

export function toPriceList(prices: readonly PriceRow[]): MessageInitShape<typeof ListPricesResponseSchema> {
  const priced = prices.map(({ code, name, price_cents, updated_at }) => ({ code, name, price: price_cents, updatedAt: timestampFromDate(updated_at) }));
  const unpriced = PROCEDURES.filter(({ code }) => !prices.some((price) => price.code === code)).map(({ code, nameEs }) => ({ code, name: nameEs }));
  return { prices: [...priced, ...unpriced].toSorted((a, b) => (a.code < b.code ? -1 : 1)) };
}
