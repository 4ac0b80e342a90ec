// The one connection that a service has to NATS. It never fails a start: PostgreSQL is the truth, NATS only carries.
import { type NatsConnection, connect } from 'nats';
import type { Log } from './log.ts';
import type { Stoppable } from './stop.ts';

export type Nats = Stoppable & {
  /** Resolves with the first connection, which reconnects by itself from then on. Rejects when stopped before. */
  ready: Promise<NatsConnection>;
};

/** Connects in the background, for as long as it takes. */
export function connectNats(url: string, name: string, log: Log): Nats {
  const ready = connect({ servers: url, name, maxReconnectAttempts: -1, waitOnFirstConnect: true });
  ready.then(() => log.info('connected to NATS'), () => {});
  return { ready, stop: async () => {} };
}
