import { type Module, rpcs } from '@clinic/lib/runtime/module.ts';
import { PriceService } from '@clinic/proto/dental/v1/price_pb.js';
import type { App } from '../app.ts';
import { listPrices } from './list-prices.ts';
import { replacePrices } from './replace-prices.ts';

export const prices: Module<App> = {
  rpcs: [rpcs(PriceService, { listPrices, replacePrices })],
  personal: [{ table: 'prices' }],
};
