// Passes live events to the open streams of their clinic. One plain NATS subscription serves all streams; events that a client has missed are
// replayed from JetStream. When NATS disconnects, the streams are closed and their clients reconnect and resume.
import { connectNats } from '@clinic/lib/events/nats.ts';
import { timeOfUuid } from '@clinic/lib/formats/uuid.ts';
import type { Log } from '@clinic/lib/telemetry/log.ts';
import type { Msg, NatsConnection } from 'nats';
import { type AccessChange, type LiveEvent, parseAccessChange, parseLiveEvent } from './live-event.ts';
import type { AddPhones } from './phones.ts';
import { replay } from './replay.ts';

type Listener = {
  userId: string;
  send(event: LiveEvent): void;
  /** Called when the access of the user may have changed. */
  recheck(): void;
  close(): void;
};

export type Hub = {
  /** Resolves to true when events are being received; while NATS is unavailable, when it is available again. Resolves to false after stop(). */
  receiving(): Promise<boolean>;
  /** Sends the clinic's events to the listener, with `lastId` beginning after that event. Returns a function that removes the listener. */
  join(clinicId: string, lastId: string | undefined, listener: Listener): Promise<() => void>;
  /** Whether NATS refuses the gateway's user or password. */
  refused(): Promise<boolean>;
  stop(): Promise<void>;
};

/** Older events are not sent: they are published again only when the JetStream stream is rebuilt, and clients have already received them. */
const MAX_AGE_MS = 10 * 60_000;

export function openHub(natsUrl: string, addPhones: AddPhones, log: Log): Hub {
  const listeners = new Map<string, Set<Listener>>();
  const nats = connectNats(natsUrl, 'gateway', log);
  let current: { connection: NatsConnection; subscribed: Promise<void> } | undefined;

  async function subscribe(): Promise<NatsConnection | undefined> {
    const connection = await nats.connected();
    if (!connection) return undefined;
    if (current?.connection !== connection) current = { connection, subscribed: receive(connection) };
    await current.subscribed;
    return connection;
  }

  async function receive(connection: NatsConnection): Promise<void> {
    void dispatch(connection.subscribe('clinic.>'))
      .catch((error: unknown) => error)
      .then((error) => {
        if (connection.isClosed() || connection.isDraining()) return; // closed() follows
        log.error({ err: error }, 'the subscription to live events has ended; all live streams are closed, so that their clients reconnect');
        if (current?.connection === connection) current = undefined;
        closeAll();
      });
    void connection.closed().then(closeAll);
    await connection.flush();
  }

  async function dispatch(messages: AsyncIterable<Msg>): Promise<void> {
    for await (const message of messages) {
      const [, clinicId = ''] = message.subject.split('.');
      if (!listeners.has(clinicId)) continue; // before it is parsed
      const change = parseAccessChange(message, log);
      if (change) recheck(change);
      const event = parseLiveEvent(message, log);
      if (!event || timeOfUuid(event.id) < Date.now() - MAX_AGE_MS) continue;
      const [complete = event] = await addPhones(event.clinicId, [event]); // awaited for each event, to preserve the order
      for (const listener of listeners.get(event.clinicId) ?? []) listener.send(complete);
    }
  }

  function recheck({ clinicId, userId }: AccessChange): void {
    for (const listener of listeners.get(clinicId) ?? []) if (userId === undefined || listener.userId === userId) listener.recheck();
  }

  function closeAll(): void {
    for (const clinic of listeners.values()) for (const listener of clinic) listener.close();
  }

  return {
    receiving: async () => (await subscribe()) !== undefined,
    async join(clinicId, lastId, listener) {
      const connection = await subscribe();
      const duringReplay: LiveEvent[] = [];
      let replaying = lastId !== undefined;
      const replayed = new Set<string>();
      const member: Listener = {
        ...listener,
        send: (event) => (replaying ? duringReplay.push(event) : listener.send(event)),
      };
      const clinic = listeners.get(clinicId) ?? new Set();
      listeners.set(clinicId, clinic.add(member));
      const leave = () => {
        clinic.delete(member);
        if (clinic.size === 0 && listeners.get(clinicId) === clinic) listeners.delete(clinicId);
      };
      try {
        if (connection && lastId !== undefined) {
          for (const event of await addPhones(clinicId, await replay(connection, clinicId, lastId))) {
            replayed.add(event.id);
            listener.send(event);
          }
        }
      } catch (error) {
        leave();
        throw error;
      }
      replaying = false;
      for (const event of duringReplay) if (!replayed.has(event.id)) listener.send(event);
      return leave;
    },
    refused: nats.refused,
    async stop() {
      closeAll();
      await nats.stop();
    },
  };
}
