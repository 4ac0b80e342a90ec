// The price list of the clinic.
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { ListPricesRequest } from '@clinic/proto/dental/v1/price_pb.js';
import type { App } from '../app.ts';
import { toPriceList } from './price-list.ts';
import { findPrices } from './prices.sql.ts';

export async function listPrices(app: App, _request: ListPricesRequest, call: Call) {
  const { id } = clinicOf(call);
  return toPriceList(await findPrices(app.db, id));
}
