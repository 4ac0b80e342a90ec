// Wakes the loops between a message and its answer: when this process has stored work for them, and each second while something waits, which
// another process may have stored, or which has become due. They also look by themselves every REST_MS.
import { setTimeout as sleep } from 'node:timers/promises';
import { startLoop } from '@clinic/lib/background/loop.ts';
import { createSignal, type Signal } from '@clinic/lib/background/signal.ts';
import type { Stoppable } from '@clinic/lib/background/stop.ts';
import { readSystem, sql } from '@clinic/lib/db/db.ts';
import type { App } from '../app.ts';

export const REST_MS = 60_000;
/** When nothing waits: for what another process has stored that died. */
const IDLE_MS = 4_000;
const LOOK_MS = 1_000;

const lookStatement = sql<{ deliveries: boolean; turns: boolean; sends: boolean }>(`
  select exists (select from chat_events where status = 'received') as deliveries, exists (select from turns) as turns, exists (select from sends) as sends`);

export function watchWork(app: App): Stoppable {
  const stored = createSignal();
  const wake = (loop: Signal) => () => {
    loop.notify();
    stored.notify();
  };
  app.db.onWritten.set('turns', wake(app.turnsWaiting)).set('outbound', wake(app.toSend));
  const failure = 'it cannot be read whether chat messages wait';
  return startLoop({ log: app.log, failure, everyMs: IDLE_MS, signal: stored }, async (stopped) => {
    await sleep(LOOK_MS, undefined, { signal: stopped });
    // As the system: over all clinics.
    const [waiting] = await readSystem(app.db, lookStatement, []);
    if (waiting?.deliveries) app.deliveryStored.notify();
    if (waiting?.turns) app.turnsWaiting.notify();
    if (waiting?.sends) app.toSend.notify();
    return waiting?.deliveries || waiting?.turns || waiting?.sends;
  });
}
