// Hands live events to the open streams of their clinic. One plain NATS subscription serves them all; what a stream has
// missed is replayed from JetStream. When NATS goes away the streams are closed, and their clients come back to resume.

import { connectNats, type Nats } from '@clinic/lib/events/nats.ts';
import type { Log } from '@clinic/lib/telemetry/log.ts';
import type { NatsConnection } from 'nats';
import { createdAt, type LiveEvent, toLiveEvent } from './live-event.ts';
import { replay } from './replay.ts';

export type Listener = { send(event: LiveEvent): void; close(): void };

export type Hub = {
  /** Tells the listener of everything in the clinic from now on, after what came since the event `lastId`. Returns how to leave. */
  join(clinicId: string, lastId: string | undefined, listener: Listener): Promise<() => void>;
  stop(): Promise<void>;
};

/** A rebuilt stream publishes old events again; screens have seen those. */
const OLD_MS = 10 * 60_000;

export function openHub(natsUrl: string, log: Log): Hub {
  const listeners = new Map<string, Set<Listener>>();
  let nats: Nats | undefined; // connected when the first screen listens
  let subscribed: Promise<NatsConnection | undefined> | undefined;

  async function subscribe(): Promise<NatsConnection | undefined> {
    nats ??= connectNats(natsUrl, 'gateway', log);
    const connection = await nats.connected();
    if (!connection) return undefined;
    const subscription = connection.subscribe('clinic.>');
    void hear(subscription).catch(() => {});
    void (async () => {
      for await (const { type } of connection.status()) if (type === 'disconnect') closeAll();
    })();
    await connection.flush();
    return connection;
  }

  async function hear(messages: AsyncIterable<Parameters<typeof toEvent>[0]>): Promise<void> {
    for await (const message of messages) {
      const event = toEvent(message);
      if (!event || createdAt(event.id) < Date.now() - OLD_MS) continue;
      for (const listener of listeners.get(event.clinicId) ?? []) listener.send(event);
    }
  }

  function closeAll(): void {
    for (const clinic of listeners.values()) for (const listener of clinic) listener.close();
  }

  return {
    async join(clinicId, lastId, listener) {
      subscribed ??= subscribe();
      const connection = await subscribed;
      const missed: LiveEvent[] = [];
      let replaying = lastId !== undefined;
      const seen = new Set<string>();
      const heard: Listener = {
        close: listener.close,
        send: (event) => (replaying ? missed.push(event) : listener.send(event)),
      };
      const clinic = listeners.get(clinicId) ?? new Set();
      listeners.set(clinicId, clinic.add(heard));
      const leave = () => {
        clinic.delete(heard);
        if (clinic.size === 0 && listeners.get(clinicId) === clinic) listeners.delete(clinicId);
      };
      try {
        if (connection && lastId !== undefined) {
          for await (const event of replay(connection, clinicId, lastId)) {
            seen.add(event.id);
            listener.send(event);
          }
        }
      } catch (error) {
        leave();
        throw error;
      }
      replaying = false;
      for (const event of missed) if (!seen.has(event.id)) listener.send(event);
      return leave;
    },
    async stop() {
      closeAll();
      await nats?.stop();
    },
  };
}

const toEvent = (message: { subject: string; headers?: Parameters<typeof toLiveEvent>[1]; string(): string }) =>
  toLiveEvent(message.subject, message.headers, message.string());
