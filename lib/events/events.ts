// Subscriptions to events. Events are delivered at least once and in any order (consumers.ts); the inbox, written in the transaction of the handler,
// ensures that the effect of each event in the database happens once (inbox.ts).
import type { DescMessage, Message, MessageShape } from '@bufbuild/protobuf';
import type { SystemTx } from '../db/db.ts';
import { timeOfUuid } from '../formats/uuid.ts';

/** Metadata of an event. `id` is the id that emit() gave it, a UUIDv7; `subject` is `clinic.<clinic id>.<service>.<event>`. */
export type Envelope = { id: string; clinicId: string; subject: string };

/** An event and its metadata. */
export type Delivered<M = Message> = { event: M; envelope: Envelope };

/** A subscription: created by subscribe() or subscribeAll(), started by startConsumers(). */
export type Consumer = {
  name: string;
  producer: string;
  event: DescMessage;
  /** Whether several events may share a transaction. Otherwise `handle` and `read` receive one. */
  together: boolean;
  handle: (tx: SystemTx, events: Delivered[], read: unknown) => Promise<void>;
} & Options<Message, unknown> & { read?: (events: Delivered[]) => Promise<unknown> };

type Options<M, R> = {
  /** Returns false for an event that never has an effect. Such events are dropped without a transaction. `read`: the result of `read`, if any. */
  concerns?: (event: Delivered<M>, read: R) => boolean;
  /** Returns true for an event that may be handled again at any later time without changing anything. Such events are not recorded in the inbox. */
  isRepeatable?: (event: Delivered<M>) => boolean;
};

/**
 * Declares a subscription to an event of the service `producer`. `name` is part of the durable name of the consumer: a new name reads the stream
 * from its beginning. `handle` runs in a transaction of the system that also records the event in the inbox. When it throws, the transaction is
 * rolled back and the event is delivered again after 1 s, 2 s, 4 s and so on, at most after 60 s, until it succeeds; other events are handled
 * meanwhile. Events may arrive in any order: compare their `revision`. `read` is called before the transaction, for calls of other services; what it
 * returns is passed to `handle`, and another handler may have stored a newer state by then. Effects outside the transaction may happen several times.
 */
export function subscribe<M extends DescMessage, R = undefined>(
  name: string,
  producer: string,
  event: M,
  handle: (tx: SystemTx, event: MessageShape<M>, envelope: Envelope, read: R) => Promise<void>,
  { read, ...options }: Options<MessageShape<M>, R> & { read?: (event: MessageShape<M>, envelope: Envelope) => Promise<R> } = {},
): Consumer {
  type One = [Delivered<MessageShape<M>>];
  const one = {
    handle: (tx: SystemTx, [{ event: shape, envelope }]: One, result: R) => handle(tx, shape, envelope, result),
    read: read && (([{ event: shape, envelope }]: One) => read(shape, envelope)),
  };
  return { name, producer, event, together: false, ...one, ...options } as unknown as Consumer; // parse() reads messages with the schema `event`
}

/**
 * subscribe() for frequent events: under load the events of one second, 50 at most, share a transaction. `read` is called before each transaction,
 * to read what `handle` needs from other services. When the transaction fails, each event is handled in its own. Events with a trace are always
 * handled alone.
 */
export function subscribeAll<M extends DescMessage, R = undefined>(
  name: string,
  producer: string,
  event: M,
  handle: (tx: SystemTx, events: Delivered<MessageShape<M>>[], read: R) => Promise<void>,
  options: Options<MessageShape<M>, R> & { read?: (events: Delivered<MessageShape<M>>[]) => Promise<R> } = {},
): Consumer {
  return { name, producer, event, together: true, handle, ...options } as unknown as Consumer;
}

/** A handler for subscribeAll() that handles one event after another. */
export const oneByOne =
  <M>(handle: (tx: SystemTx, event: M, envelope: Envelope) => Promise<void>) =>
  async (tx: SystemTx, events: Delivered<M>[]): Promise<void> => {
    for (const { event, envelope } of events) await handle(tx, event, envelope);
  };

/** When the event was emitted, from its id, a UUIDv7. */
export const timeOf = ({ id }: Pick<Envelope, 'id'>): Date => new Date(timeOfUuid(id));
