// The connection of a service to NATS, and the event stream. A service starts and works without NATS: events wait in the outbox
// (docs/decisions/events.md).
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

/** Settings of the stream, applied only when it is created. `maxBytes` absent: no size limit. */
export type StreamSettings = { replicas: number; maxBytes?: number | undefined };

export const STREAM = 'CLINIC';
/** Days for which the stream retains an event. INBOX_DAYS in lib/db/retention.ts depends on it. */
export const STREAM_DAYS = 28;

const WAITING = 'events wait in the outbox';
const RETRY_MS = 500;
const DRAIN_MS = 2_000;

/**
 * Connects in the background, repeats failed attempts, and reconnects when the connection is lost, until stop(). An unavailable server is logged
 * and never thrown. Replies arrive at subjects under `_INBOX.<name>`.
 */
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

  // The client's own reconnection measures its pauses by the wall clock, which may be set back, so each connection is a new one.
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
    /** The connection while it is open, otherwise undefined. */
    live,
    /** How many times the connection was opened. When the number changes, the server may have been restarted. */
    connects: () => connects,
    /** Whether NATS refused user or password at the last attempt to connect. Waits for the first attempt. */
    async refused(): Promise<boolean> {
      await attempted.promise;
      return refused;
    },
    /** Reports an error of an operation on NATS, since a server may keep its connections open while JetStream does not respond. Other errors are ignored. */
    failed(error: unknown): void {
      if (!(error instanceof NatsError)) return;
      if (!up || connection?.isClosed()) explain(error);
      else if (SILENT.has(error.code) || (error.api_error?.code ?? 0) >= 500) jetStream.failed(error);
    },
    /** Reports that JetStream responded. */
    succeeded: jetStream.succeeded,
    /** Resolves to the connection once it is open, or to undefined when stop() is called first. */
    async connected(): Promise<NatsConnection | undefined> {
      while (!up && !stopped.signal.aborted) await change.promise;
      return live();
    },
    /** Sends what is buffered, for DRAIN_MS at most, and closes the connection. */
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

// noAsyncTraces: an error of the client without the stack of the call; otherwise each publication creates one (0.05 ms).
const OPTIONS = { timeout: 3_000, reconnect: false, pingInterval: 10_000, maxPingOut: 2, noAsyncTraces: true };

/** Errors of a server that does not respond: no response in time, or no JetStream that accepts the request. */
const SILENT = new Set<string>([ErrorCode.Timeout, ErrorCode.NoResponders]);

/** Connection options for a `nats://` or `tls://` URL. The client itself does not read user and password from the URL. */
export function toServer(url: string) {
  const { protocol, host, username, password } = new URL(url);
  return {
    servers: host,
    ...(username && { user: decodeURIComponent(username), pass: decodeURIComponent(password) }),
    ...(protocol === 'tls:' && { tls: {} }),
  };
}

/** What the server reports as the creation time of a stream that it is creating for another client. */
const BEING_CREATED = '0001-01-01T00:00:00Z';

/**
 * Returns the event stream, and creates it when it is missing; an existing one is not changed. Throws when its configuration lets events enter
 * from other streams or subjects, and when JetStream does not respond.
 */
export async function ensureStream(manager: JetStreamManager, settings?: StreamSettings): Promise<StreamInfo> {
  for (;;) {
    const stream = await findOrCreate(manager, settings);
    if (stream.created !== BEING_CREATED) return stream;
    await sleep(10);
  }
}

async function findOrCreate(manager: JetStreamManager, { replicas, maxBytes = -1 }: StreamSettings = { replicas: 1 }): Promise<StreamInfo> {
  try {
    const stream = await manager.streams.info(STREAM);
    const foreign = ['mirror', 'sources', 'republish', 'subject_transform'].filter((setting) => setting in stream.config);
    if (foreign.length > 0) throw new Error(`the event stream has settings by which events can be forged (${foreign}): delete it, so that it is created again`);
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
      // A full stream refuses new events, which then wait in the outboxes, instead of deleting old ones that may not have been handled.
      max_bytes: maxBytes,
      discard: DiscardPolicy.New,
      duplicate_window: nanos(120_000),
    });
  }
}

/** Whether JetStream reports that the stream, consumer or message does not exist. */
export const isMissing = (error: unknown) => error instanceof NatsError && error.api_error?.code === 404;
