// The connection of a service to NATS. A service starts and works without it: events wait in the outbox (docs/decisions/events.md).
import { setTimeout as sleep } from 'node:timers/promises';
import {
  connect,
  DiscardPolicy,
  ErrorCode,
  type JetStreamManager,
  type NatsConnection,
  NatsError,
  nanos,
  RetentionPolicy,
  StorageType,
  type StreamInfo,
} from 'nats';
import { explain } from '../errors/explained.ts';
import type { Log } from '../telemetry/log.ts';
import { natsConnected } from '../telemetry/metrics.ts';
import { watchOutage } from '../telemetry/outages.ts';

export type Nats = ReturnType<typeof connectNats>;

/** Used when the stream is created. */
export type StreamSettings = { replicas: number; maxBytes?: number | undefined };

export const STREAM = 'CLINIC';
/** How long the stream retains an event. lib/db/retention.ts relies on it. */
export const STREAM_DAYS = 28;

const WAITING = 'events wait in the outbox';
const RETRY_MS = 500;
const DRAIN_MS = 2_000;

/** Connects in the background, tries until it succeeds, and connects again when the connection is lost. Answers come to an inbox under `name`. */
export function connectNats(url: string, name: string, log: Log, settings: StreamSettings = { replicas: 1 }) {
  const { host } = new URL(url);
  const outage = watchOutage(log, 'NATS', host, WAITING);
  const jetStream = watchOutage(log, 'JetStream', host, WAITING);
  let connection: NatsConnection | undefined;
  let up = false;
  let connects = 0;
  let refused = false;
  const attempted = Promise.withResolvers<void>();
  const stopped = new AbortController();
  let change = Promise.withResolvers<void>();

  const notifyWaiters = () => {
    change.resolve();
    change = Promise.withResolvers();
  };
  const setUp = (now: boolean) => {
    if (now) connects++;
    up = now;
    natsConnected.set({ client: name }, now ? 1 : 0);
    if (now) outage.over();
    else if (!stopped.signal.aborted) outage.failed(new Error('the connection was lost'));
    notifyWaiters();
  };
  const live = () => (up ? connection : undefined);

  // The client's own reconnection waits by the clock, which may be set back: each connection is a new one.
  async function run(): Promise<void> {
    while (!stopped.signal.aborted) {
      try {
        connection = await connect({ ...toServer(url), name: `clinic-${name}`, inboxPrefix: `_INBOX.${name}`, ...OPTIONS });
        refused = false;
        if (stopped.signal.aborted) return connection.close();
        setUp(true);
        attempted.resolve();
        await connection.closed();
        setUp(false);
      } catch (error) {
        refused = (error as NatsError).code === ErrorCode.AuthorizationViolation;
        attempted.resolve();
        outage.failed(error);
      }
      await sleep(RETRY_MS, undefined, { signal: stopped.signal }).catch(() => {});
    }
  }
  natsConnected.set({ client: name }, 0);
  const connecting = run();

  return {
    settings,
    /** The connection, while it is open. */
    live,
    /** How often the connection was opened. When the number changes, the server may have been restarted. */
    connects: () => connects,
    /** Whether the last attempt to connect was refused for user or password. Waits for the first one. */
    async refused(): Promise<boolean> {
      await attempted.promise;
      return refused;
    },
    /** Reports an error of work that used NATS. A server may keep its connections and answer no request to JetStream. */
    failed(error: unknown): void {
      if (!(error instanceof NatsError)) return;
      if (!up || connection?.isClosed()) explain(error);
      else if (SILENT.has(error.code) || (error.api_error?.code ?? 0) >= 500) jetStream.failed(error);
    },
    /** Reports that JetStream answered. */
    succeeded: jetStream.succeeded,
    /** Waits for the connection; undefined when stop() was called first. */
    async connected(): Promise<NatsConnection | undefined> {
      while (!up && !stopped.signal.aborted) await change.promise;
      return live();
    },
    async stop(): Promise<void> {
      stopped.abort();
      attempted.resolve();
      notifyWaiters();
      const draining = up ? connection?.drain().catch(() => {}) : undefined;
      up = false;
      await Promise.race([draining, sleep(DRAIN_MS, undefined, { ref: false })]);
      await connection?.close();
      await connecting;
    },
  };
}

const OPTIONS = { timeout: 3_000, reconnect: false, pingInterval: 10_000, maxPingOut: 2 };

/** Nobody answered in time, or no server answers requests to JetStream. */
const SILENT = new Set<string>([ErrorCode.Timeout, ErrorCode.NoResponders]);

/** The client does not read user and password from a URL. */
export function toServer(url: string) {
  const { protocol, host, username, password } = new URL(url);
  return {
    servers: host,
    ...(username && { user: decodeURIComponent(username), pass: decodeURIComponent(password) }),
    ...(protocol === 'tls:' && { tls: {} }),
  };
}

/** The stream. Creates it when it is missing; does not change an existing one. Throws when its events could come from elsewhere. */
export async function ensureStream(manager: JetStreamManager, { replicas, maxBytes = -1 }: StreamSettings = { replicas: 1 }): Promise<StreamInfo> {
  try {
    const stream = await manager.streams.info(STREAM);
    const foreign = ['mirror', 'sources', 'republish', 'subject_transform'].filter((setting) => setting in stream.config);
    if (foreign.length > 0) throw new Error(`the event stream has settings by which events can be forged (${foreign}): delete it, so that it is made again`);
    return stream;
  } catch (error) {
    if (!isMissing(error)) throw error;
    return manager.streams.add({
      name: STREAM,
      subjects: ['clinic.>'],
      storage: StorageType.File,
      retention: RetentionPolicy.Limits,
      num_replicas: replicas,
      max_age: nanos(STREAM_DAYS * 86_400_000),
      // A full stream refuses events, which wait in the outboxes, instead of deleting some that may not have been handled.
      max_bytes: maxBytes,
      discard: DiscardPolicy.New,
      duplicate_window: nanos(120_000),
    });
  }
}

/** Whether JetStream reports that the stream, consumer or message does not exist. */
export const isMissing = (error: unknown) => error instanceof NatsError && error.api_error?.code === 404;
