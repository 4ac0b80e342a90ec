// What a screen missed since the last event that it saw, read back from the stream.
import { STREAM } from '@clinic/lib/events/nats.ts';
import { DeliverPolicy, type NatsConnection } from 'nats';
import { createdAt, type LiveEvent, toLiveEvent } from './live-event.ts';

/** An event is published after it was made: so much later at most, or its screen hears a little twice. */
const SLACK_MS = 60_000;
/** A screen that was away for longer reads its lists again instead. */
const FARTHEST_MS = 24 * 3_600_000;
const WAIT_MS = 1_000;

/** The clinic's events after `lastId`, oldest first; all of the time since then when the stream does not hold that one. */
export async function* replay(connection: NatsConnection, clinicId: string, lastId: string): AsyncGenerator<LiveEvent> {
  const since = new Date(Math.max(createdAt(lastId) - SLACK_MS, Date.now() - FARTHEST_MS));
  const consumer = await connection.jetstream().consumers.get(STREAM, {
    filterSubjects: `clinic.${clinicId}.>`,
    deliver_policy: DeliverPolicy.StartTime,
    opt_start_time: since.toISOString(),
  });
  const { num_pending: pending } = await consumer.info();
  if (pending === 0) return;
  const events: LiveEvent[] = [];
  let left = pending;
  for await (const message of await consumer.fetch({ max_messages: pending, expires: WAIT_MS })) {
    const event = toLiveEvent(message.subject, message.headers, message.string());
    if (event) events.push(event);
    left -= 1;
    if (left === 0) break;
  }
  const last = events.findIndex(({ id }) => id === lastId);
  for (const event of last < 0 ? events.filter(({ id }) => id > lastId) : events.slice(last + 1)) yield event;
}
