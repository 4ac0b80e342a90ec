import { type Module, rpcs } from '@clinic/lib/runtime/module.ts';
import { PriceService } from '@clinic/proto/dental/v1/price_pb.js';
import type { App } from '../app.ts';
import { listPrices, replacePrices } from './price-list.ts';

export const prices: Module<App> = {
  rpcs: [rpcs(PriceService, { listPrices, replacePrices })],
  personal: [{ table: 'prices' }],
};
