// The one connection that a service has to NATS. It never fails a start: PostgreSQL is the truth, NATS only carries.
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, Events, type JetStreamManager, type NatsConnection, NatsError, nanos, RetentionPolicy, StorageType, type StreamInfo } from 'nats';
import type { Stoppable } from '../background/stop.ts';
import type { Log } from '../telemetry/log.ts';
import { natsConnected } from '../telemetry/metrics.ts';

export type Nats = Stoppable & {
  /** The connection while it is up. */
  live(): NatsConnection | undefined;
  /** Resolves when the connection is up, with undefined when it was stopped before. */
  connected(): Promise<NatsConnection | undefined>;
  /** How often it came up: another number means that the server may have been restarted. */
  connects(): number;
  /** Copies of the stream, where it has to be made. */
  readonly replicas: number;
};

export const STREAM = 'CLINIC';
/** Days that the stream keeps an event. With the outbox's retention this bounds how late a repeat can come. */
export const STREAM_DAYS = 28;

const RETRY_MS = 500;
const DRAIN_MS = 2_000;

/** Connects in the background for as long as it takes, and again whenever the connection is lost. */
export function connectNats(url: string, name: string, log: Log, replicas = 1): Nats {
  let connection: NatsConnection | undefined;
  let up = false;
  let connects = 0;
  const stopped = new AbortController();
  let change = Promise.withResolvers<void>();

  const tell = () => {
    change.resolve();
    change = Promise.withResolvers();
  };
  const setUp = (now: boolean) => {
    if (now) connects++;
    up = now;
    natsConnected.set({ client: name }, now ? 1 : 0);
    log.info(now ? 'NATS is connected' : 'NATS is away');
    tell();
  };
  const live = () => (up ? connection : undefined);

  async function run(): Promise<void> {
    for (let attempt = 0; !stopped.signal.aborted; attempt++) {
      try {
        connection = await connect({ ...address(url), name: `clinic-${name}`, ...PATIENCE });
        break;
      } catch (error) {
        if (attempt === 0) log.warn({ code: (error as NatsError).code }, 'NATS is away');
        await sleep(RETRY_MS, undefined, { signal: stopped.signal }).catch(() => {});
      }
    }
    if (!connection) return;
    if (stopped.signal.aborted) return connection.close();
    setUp(true);
    void watch(connection);
  }
  // Never ends, since the client forgets its listeners when it closes.
  async function watch(connected: NatsConnection): Promise<void> {
    for await (const { type } of connected.status()) {
      if (type === Events.Disconnect && up) setUp(false);
      if (type === Events.Reconnect) setUp(true);
    }
  }
  natsConnected.set({ client: name }, 0);
  const connecting = run();

  return {
    live,
    connects: () => connects,
    replicas,
    async connected() {
      while (!up && !stopped.signal.aborted) await change.promise;
      return live();
    },
    async stop() {
      stopped.abort();
      tell();
      await connecting;
      const draining = up ? connection?.drain().catch(() => {}) : undefined;
      up = false;
      await Promise.race([draining, sleep(DRAIN_MS, undefined, { ref: false })]);
      await connection?.close();
    },
  };
}

const PATIENCE = { timeout: 3_000, maxReconnectAttempts: -1, reconnectTimeWait: RETRY_MS, pingInterval: 10_000, maxPingOut: 2, ignoreAuthErrorAbort: true };

/** The client takes user and password beside the URL only. */
function address(url: string) {
  const { protocol, host, username, password } = new URL(url);
  return {
    servers: host,
    ...(username && { user: decodeURIComponent(username), pass: decodeURIComponent(password) }),
    ...(protocol === 'tls:' && { tls: {} }),
  };
}

/** The stream as it is, made with so many copies when it is missing. One that is there is left as it is. */
export async function ensureStream(manager: JetStreamManager, replicas = 1): Promise<StreamInfo> {
  try {
    return await manager.streams.info(STREAM);
  } catch (error) {
    if (!isMissing(error)) throw error;
    return manager.streams.add({
      name: STREAM,
      subjects: ['clinic.>'],
      storage: StorageType.File,
      retention: RetentionPolicy.Limits,
      num_replicas: replicas,
      max_age: nanos(STREAM_DAYS * 86_400_000),
      duplicate_window: nanos(120_000),
    });
  }
}

/** Whether JetStream says that the stream, consumer or message is not there. */
export const isMissing = (error: unknown) => error instanceof NatsError && error.api_error?.code === 404;
