// Signals the loops between a message and its reply: when this process has stored work for them, and every second while work waits, which
// another process may have stored or which may have become due. The loops also run on their own every REST_MS.
import { setTimeout as sleep } from 'node:timers/promises';
import { startLoop } from '@clinic/lib/background/loop.ts';
import { createSignal, type Signal } from '@clinic/lib/background/signal.ts';
import type { Stoppable } from '@clinic/lib/background/stop.ts';
import { readSystem, sql } from '@clinic/lib/db/db.ts';
import type { App } from '../app.ts';

export const REST_MS = 60_000;
/** Interval when nothing waits, for work stored by a process that has died since. */
const IDLE_MS = 4_000;
const CHECK_MS = 1_000;

const waitingStatement = sql<{ deliveries: boolean; turns: boolean; sends: boolean }>(`
  select exists (select from chat_events where status = 'received') as deliveries, exists (select from turns) as turns, exists (select from sends) as sends`);

export function watchWork(app: App): Stoppable {
  const stored = createSignal();
  const notifyBoth = (loop: Signal) => () => {
    loop.notify();
    stored.notify();
  };
  app.db.onWritten.set('turns', notifyBoth(app.turnsWaiting)).set('outbound', notifyBoth(app.toSend));
  const failure = 'waiting chat messages cannot be detected';
  return startLoop({ log: app.log, failure, everyMs: IDLE_MS, signal: stored }, async (stopped) => {
    await sleep(CHECK_MS, undefined, { signal: stopped });
    // As the system, because it covers all clinics.
    const [waiting] = await readSystem(app.db, waitingStatement, []);
    if (waiting?.deliveries) app.deliveryStored.notify();
    if (waiting?.turns) app.turnsWaiting.notify();
    if (waiting?.sends) app.toSend.notify();
    return waiting?.deliveries || waiting?.turns || waiting?.sends;
  });
}
