// Processes stored deliveries.
import { startLoop } from '@clinic/lib/background/loop.ts';
import { pauseAfter } from '@clinic/lib/background/pace.ts';
import type { Stoppable } from '@clinic/lib/background/stop.ts';
import type { App } from '../app.ts';
import { DELIVERIES_PACE } from '../outbound/chat-loop.ts';
import { REST_MS } from '../outbound/watch-work.ts';
import { BATCH_SIZE, processDeliveries } from './process-deliveries.ts';

const MAX_YIELD_MS = 300;

export function startInboxWorker(app: App): Stoppable {
  const options = { log: app.log, failure: 'chat deliveries are not processed', signal: app.deliveryStored, everyMs: REST_MS };
  return startLoop(options, async (stopped) => {
    await app.deliveryStore.waitWhileBusy(MAX_YIELD_MS);
    const size = await processDeliveries(app);
    if (size === BATCH_SIZE) return true;
    await pauseAfter(size, DELIVERIES_PACE, stopped);
  });
}
