// Processes that are killed or frozen: work ends the same, and requests are refused in time. The tests run in the distributed topology only, on one
// product of their own.
import { publicApi } from '@clinic/lib/testing/public-api.ts';
import { afterAll, beforeAll, describe } from '@jest/globals';
import { freePort } from '../lib/runtime/free-port.ts';
import { testChatKills } from './kills/chat.ts';
import { testFrozenProcesses } from './kills/frozen.ts';
import { PAYMENT_SETTINGS, testPaymentKills } from './kills/payments.ts';
import { type OwnProduct, startOwnProduct } from './own-product.ts';

const inManyProcesses = publicApi().topology === 'distributed' ? describe : describe.skip;

inManyProcesses('in seven processes', () => {
  let product: OwnProduct;
  let simulatorPort: string;

  beforeAll(async () => {
    simulatorPort = String(await freePort());
    product = await startOwnProduct({ ...PAYMENT_SETTINGS, CHAT_SIMULATOR_PORT: simulatorPort }, 'distributed');
  });
  afterAll(async () => {
    await product?.stop();
  });

  testChatKills(() => ({ product, simulator: `http://127.0.0.1:${simulatorPort}` }));
  testPaymentKills(() => product);
  testFrozenProcesses(() => product);
});
