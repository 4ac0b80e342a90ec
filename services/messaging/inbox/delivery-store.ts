// Stores deliveries of the chat provider. Deliveries that arrive during an insert share the next one: at 500 a second, a commit for each would
// cost more than all other work.
import { setTimeout as sleep } from 'node:timers/promises';
import { createBatches } from '@clinic/lib/background/batches.ts';
import type { NamedKey } from '@clinic/lib/config/config.ts';
import { decrypt, encrypt } from '@clinic/lib/crypto/crypto.ts';
import { closeDb, type Db } from '@clinic/lib/db/db.ts';
import { fail } from '@clinic/lib/errors/errors.ts';
import { v7 } from 'uuid';
import { insertEvents, type NewChatEvent } from './chat-events.sql.ts';

export type DeliveryStore = {
  /** Resolves when the delivery is stored. Throws UNAVAILABLE if the insert has not begun by the deadline (epoch milliseconds); the provider then repeats it. */
  store(body: Uint8Array, deadline: number): Promise<void>;
  /**
   * Waits while many deliveries arrive, so that storing them takes precedence: the provider waits for half a second only, while patients do not
   * notice a second. Waits for `maxMs` at most, so that a permanent load does not stop the processing.
   */
  waitWhileBusy(maxMs: number): Promise<void>;
  /** Closes its connections. */
  stop(): Promise<void>;
};

const CONCURRENT_INSERTS = 2;
const MAX_BATCH = 200;
/** More deliveries than this in a window count as busy. Two shared cores can store and process this many. */
const BUSY_PER_WINDOW = 50;
const WINDOW_MS = 250;
const BUSY_POLL_MS = 20;
/** How long a delivery of statuses waits for other deliveries: no patient is waiting for it. */
const STATUSES_WAIT_MS = 500;

/** Calls `stored` when there are deliveries to process. */
export function createDeliveryStore(db: Db, keys: NamedKey[], stored: () => void): DeliveryStore {
  const insert = createBatches<NewChatEvent & { deadline: number }, boolean>({ size: MAX_BATCH, concurrent: CONCURRENT_INSERTS }, async (batch) => {
    const inTime = new Set(batch.filter(({ deadline }) => Date.now() <= deadline));
    if (inTime.size > 0) await insertEvents(db, [...inTime]);
    return batch.map((delivery) => inTime.has(delivery));
  });
  let waiting: NodeJS.Timeout | undefined;
  const rate = { since: 0, now: 0, before: 0 };

  function count(more: number): void {
    const windows = Math.floor((performance.now() - rate.since) / WINDOW_MS);
    if (windows > 0) Object.assign(rate, { since: performance.now(), now: 0, before: windows === 1 ? rate.now : 0 });
    rate.now += more;
  }

  function isBusy(): boolean {
    count(0);
    return rate.now > BUSY_PER_WINDOW || rate.before > BUSY_PER_WINDOW;
  }

  return {
    async store(body, deadline) {
      const id = v7();
      count(1);
      if (!(await insert({ id, ciphertext: encryptDelivery(keys, id, body), bytes: body.length, deadline }))) fail('UNAVAILABLE');
      if (!hasOnlyStatuses(body)) return stored();
      waiting ??= setTimeout(() => {
        waiting = undefined;
        stored();
      }, STATUSES_WAIT_MS);
    },
    async waitWhileBusy(maxMs) {
      const until = performance.now() + maxMs;
      while (isBusy() && performance.now() < until) await sleep(BUSY_POLL_MS);
    },
    stop() {
      clearTimeout(waiting);
      return closeDb(db);
    },
  };
}

/** Searches the JSON for field names without parsing it. Any other delivery is processed at once. */
function hasOnlyStatuses(body: Uint8Array): boolean {
  const json = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  return json.includes('"statuses":') && !json.includes('"messages":');
}

/** The encryption context identifies the row, so that a ciphertext copied to another row cannot be decrypted. */
export const deliveryContext = (id: string) => `chat_events/${id}`;

/** Encrypts the body as base64: stored deliveries have this form. */
export const encryptDelivery = (keys: NamedKey[], id: string, body: Uint8Array) => encrypt(keys, Buffer.from(body).toString('base64'), deliveryContext(id));

export const decryptDelivery = (keys: NamedKey[], id: string, ciphertext: Buffer) => Buffer.from(decrypt(keys, ciphertext, deliveryContext(id)), 'base64');
