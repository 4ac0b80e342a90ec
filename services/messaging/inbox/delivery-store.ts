// Keeps deliveries, and answers for each when it is kept. Those that come while one insert is under way share the next one: at
// 500 a second a commit each would cost the machine more than everything else.

import type { NamedKey } from '@clinic/lib/config/config.ts';
import type { Db } from '@clinic/lib/db/db.ts';
import { v7 } from 'uuid';
import { insertEvents } from './chat-events.sql.ts';
import { encryptDelivery } from './delivery-encryption.ts';

export type DeliveryStore = {
  /** Resolves when the delivery is stored. */
  store(body: Uint8Array): Promise<void>;
  /** Whether so many deliveries come that whoever works on them had better wait. */
  isBusy(): boolean;
  /** Closes its connections. */
  stop(): Promise<void>;
};

type Waiting = { id: string; sealed: Buffer; bytes: number; resolve: () => void; reject: (error: unknown) => void };

const CONCURRENT_INSERTS = 2;
const MAX_BATCH = 200;
/** A storm is more than that many in a window; below it the machine has time for both. */
const BUSY_PER_WINDOW = 50;
const WINDOW_MS = 250;

/** `stored` is called after each insert. */
export function createDeliveryStore(door: Db, keys: NamedKey[], stored: () => void): DeliveryStore {
  const waiting: Waiting[] = [];
  let underWay = 0;
  const rate = { since: 0, now: 0, before: 0 };

  function count(more: number): void {
    const windows = Math.floor((performance.now() - rate.since) / WINDOW_MS);
    if (windows > 0) Object.assign(rate, { since: performance.now(), now: 0, before: windows === 1 ? rate.now : 0 });
    rate.now += more;
  }

  async function flush(): Promise<void> {
    if (underWay >= CONCURRENT_INSERTS || waiting.length === 0) return;
    underWay++;
    const batch = waiting.splice(0, MAX_BATCH);
    try {
      await insertEvents(door, batch);
      for (const { resolve } of batch) resolve();
      stored();
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      underWay--;
    }
    void flush();
  }

  return {
    store: (body) =>
      new Promise((resolve, reject) => {
        const id = v7();
        count(1);
        waiting.push({ id, sealed: encryptDelivery(keys, id, body), bytes: body.length, resolve, reject });
        void flush();
      }),
    isBusy() {
      count(0);
      return rate.now > BUSY_PER_WINDOW || rate.before > BUSY_PER_WINDOW;
    },
    stop: () => door.pool.end(),
  };
}
