// Wakes the loops between a message and its answer each second while something waits for them: another process may have stored it, or it
// has become due. They are also woken by what this process stores, and look by themselves every REST_MS.
import { startLoop } from '@clinic/lib/background/loop.ts';
import type { Stoppable } from '@clinic/lib/background/stop.ts';
import { readSystem, sql } from '@clinic/lib/db/db.ts';
import type { App } from '../app.ts';

export const REST_MS = 60_000;
const LOOK_MS = 1_000;

const lookStatement = sql<{ deliveries: boolean; turns: boolean; sends: boolean }>(`
  select exists (select from chat_events where status = 'received') as deliveries, exists (select from turns) as turns, exists (select from sends) as sends`);

export function watchWork(app: App): Stoppable {
  return startLoop({ log: app.log, failure: 'it cannot be read whether chat messages wait', everyMs: LOOK_MS }, async () => {
    // As the system: over all clinics.
    const [waiting] = await readSystem(app.db, lookStatement, []);
    if (waiting?.deliveries) app.deliveryStored.notify();
    if (waiting?.turns) app.turnsWaiting.notify();
    if (waiting?.sends) app.toSend.notify();
  });
}
