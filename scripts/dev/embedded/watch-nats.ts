// Watches the embedded NATS. After the disk was full, nats-server keeps its connections and reports that it is healthy, but no longer responds to
// JetStream requests. So the watch requests the state of the stream, and kills a server that does not respond. It also stops the server before the
// disk is full, to leave the remaining space to PostgreSQL.
import { statfsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Stoppable } from '@clinic/lib/background/stop.ts';
import { isMissing, STREAM, toServer } from '@clinic/lib/events/nats.ts';
import { connect, type NatsConnection } from 'nats';
import type { Supervised } from '../supervise.ts';

const EVERY_MS = 1_000;
/** While the server responds, it is requested only at every third check, because a request makes two processes run. */
const REQUEST_EVERY = 3;
const RESPONSE_MS = 3_000;
const MAX_FAILURES = 4;
const MEGABYTE = 1024 * 1024;
/** With less free space than the first, NATS is stopped; with more than the second, it is restarted. */
const RESERVE_MB = 48;
const ENOUGH_MB = 64;

/** `user` must be allowed to request the state of the stream. */
type Watched = { supervised: Supervised; url: string; user: string; folder: string };

export function watchNats({ supervised, url, user, folder }: Watched): Stoppable {
  const stopped = new AbortController();
  let paused = false;
  let failures = 0;
  let checks = 0;
  let connection: NatsConnection | undefined;

  async function pass(): Promise<void> {
    const { bavail, bsize } = statfsSync(folder);
    const free = Math.floor((bavail * bsize) / MEGABYTE);
    if (!paused && free < RESERVE_MB) {
      paused = true;
      await supervised.pause(`the disk of ${folder} is almost full (${free} MB free), and PostgreSQL needs the rest. Events wait in the outbox`);
    } else if (paused && free > ENOUGH_MB) {
      paused = false;
      failures = 0;
      supervised.resume(`the disk has space again (${free} MB free)`);
    }
    if (paused || (failures === 0 && checks++ % REQUEST_EVERY > 0)) return;
    failures = (await responds()) ? 0 : failures + 1;
    if (failures < MAX_FAILURES) return;
    failures = 0;
    supervised.restart('does not respond to JetStream requests');
  }

  async function responds(): Promise<boolean> {
    try {
      // A new connection, because the client's own reconnection depends on the clock.
      if (!connection || connection.isClosed())
        connection = await connect({ ...toServer(url), name: 'clinic-watch', inboxPrefix: `_INBOX.${user}`, reconnect: false, timeout: RESPONSE_MS });
      const manager = await connection.jetstreamManager({ checkAPI: false, timeout: RESPONSE_MS });
      await manager.streams.info(STREAM);
      return true;
    } catch (error) {
      return isMissing(error); // the stream does not exist before a service creates it
    }
  }

  async function run(): Promise<void> {
    while (!stopped.signal.aborted) {
      await sleep(EVERY_MS, undefined, { signal: stopped.signal }).catch(() => {});
      if (!stopped.signal.aborted) await pass();
    }
    await connection?.close();
  }
  const running = run();
  return {
    async stop() {
      stopped.abort();
      await running;
    },
  };
}
