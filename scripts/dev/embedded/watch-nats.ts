// Watches the embedded NATS. After a disk was full, nats-server keeps its connections, says that it is healthy and answers no request to JetStream
// any more, so it is asked for the stream and killed when it is silent. It is stopped before the disk is full: what is left is for PostgreSQL.
import { statfsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Stoppable } from '@clinic/lib/background/stop.ts';
import { isMissing, STREAM, toServer } from '@clinic/lib/events/nats.ts';
import { connect, type NatsConnection } from 'nats';
import type { Supervised } from '../supervise.ts';

const EVERY_MS = 1_000;
/** While it answers it is asked at every third look: that wakes two processes. */
const ASK_EACH = 3;
const ANSWER_MS = 3_000;
const SILENT_TIMES = 4;
const MEGABYTE = 1024 * 1024;
/** Below the first NATS stops, above the second it starts again. */
const RESERVE_MB = 48;
const ENOUGH_MB = 64;

type Watched = { supervised: Supervised /** As a user who may ask for the stream. */; url: string; user: string; folder: string };

export function watchNats({ supervised, url, user, folder }: Watched): Stoppable {
  const stopped = new AbortController();
  let paused = false;
  let silent = 0;
  let looks = 0;
  let connection: NatsConnection | undefined;

  async function pass(): Promise<void> {
    const { bavail, bsize } = statfsSync(folder);
    const free = Math.floor((bavail * bsize) / MEGABYTE);
    if (!paused && free < RESERVE_MB) {
      paused = true;
      await supervised.pause(`the disk of ${folder} is almost full (${free} MB free), and PostgreSQL needs the rest. Events wait in the outbox`);
    } else if (paused && free > ENOUGH_MB) {
      paused = false;
      silent = 0;
      supervised.resume(`the disk has space again (${free} MB free)`);
    }
    if (paused || (silent === 0 && looks++ % ASK_EACH > 0)) return;
    silent = (await answers()) ? 0 : silent + 1;
    if (silent < SILENT_TIMES) return;
    silent = 0;
    supervised.restart('answers no request to JetStream');
  }

  async function answers(): Promise<boolean> {
    try {
      // A new one instead of the client's own reconnection, which waits by the clock.
      if (!connection || connection.isClosed())
        connection = await connect({ ...toServer(url), name: 'clinic-watch', inboxPrefix: `_INBOX.${user}`, reconnect: false, timeout: ANSWER_MS });
      const manager = await connection.jetstreamManager({ checkAPI: false, timeout: ANSWER_MS });
      await manager.streams.info(STREAM);
      return true;
    } catch (error) {
      return isMissing(error); // the services create it
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
