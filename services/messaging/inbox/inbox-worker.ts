// Processes stored deliveries. A delivery that comes after a pause is processed at once; those that follow share a pass.
import { startLoop } from '@clinic/lib/background/loop.ts';
import type { Stoppable } from '@clinic/lib/background/stop.ts';
import type { App } from '../app.ts';
import { BATCH_SIZE, processDeliveries } from './process-deliveries.ts';

const POLL_MS = 1_000;
const SPACING_MS = 150;
const MAX_YIELD_MS = 300;

export function startInboxWorker(app: App): Stoppable {
  const options = { log: app.log, failure: 'chat deliveries are not processed', everyMs: POLL_MS, signal: app.deliveryStored, spacingMs: SPACING_MS };
  return startLoop(options, async () => {
    await app.deliveryStore.waitWhileBusy(MAX_YIELD_MS);
    const { size, turns } = await processDeliveries(app);
    if (turns > 0) app.turnsWaiting.notify();
    return size === BATCH_SIZE;
  });
}
