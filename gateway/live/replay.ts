// Reads from JetStream the events that a client has missed since the last one it received.
import { createLane } from '@clinic/lib/background/lane.ts';
import { STREAM } from '@clinic/lib/events/nats.ts';
import { timeOfUuid } from '@clinic/lib/formats/uuid.ts';
import { DeliverPolicy, type NatsConnection } from 'nats';
import { type LiveEvent, parseLiveEvent } from './live-event.ts';

/** Events are published some time after their creation. An event that is published later than this may be missing from a replay. */
const MAX_PUBLISH_DELAY_MS = 60_000;
/** A client that was disconnected for longer must read its lists again. */
const MAX_REPLAY_MS = 24 * 3_600_000;
const FETCH_TIMEOUT_MS = 1_000;

/** Limits concurrent replays: each needs a consumer and memory for its events, and after a restart all clients reconnect at once. */
const lane = createLane({ concurrent: 8, waiting: 1_000 });

/** The clinic's events after `lastId`, oldest first. If the stream no longer contains that event, all events created after it. */
export async function replay(connection: NatsConnection, clinicId: string, lastId: string): Promise<LiveEvent[]> {
  const leave = await lane();
  try {
    const now = Date.now();
    const lastAt = Math.min(timeOfUuid(lastId), now); // any UUID is accepted, and the time of one may be beyond what NATS can parse
    const events = await readSince(connection, clinicId, Math.max(lastAt - MAX_PUBLISH_DELAY_MS, now - MAX_REPLAY_MS));
    const last = events.findIndex(({ id }) => id === lastId);
    return last < 0 ? events.filter(({ id }) => id > lastId) : events.slice(last + 1);
  } finally {
    leave();
  }
}

async function readSince(connection: NatsConnection, clinicId: string, since: number): Promise<LiveEvent[]> {
  const consumer = await connection.jetstream().consumers.get(STREAM, {
    filterSubjects: `clinic.${clinicId}.>`,
    deliver_policy: DeliverPolicy.StartTime,
    opt_start_time: new Date(since).toISOString(),
  });
  try {
    const { num_pending: pending } = await consumer.info();
    const events: LiveEvent[] = [];
    if (pending === 0) return events;
    let left = pending;
    for await (const message of await consumer.fetch({ max_messages: pending, expires: FETCH_TIMEOUT_MS })) {
      const event = parseLiveEvent(message); // one that cannot be parsed is logged by its consumers
      if (event) events.push(event);
      left -= 1;
      if (left === 0) break;
    }
    return events;
  } finally {
    await consumer.delete().catch(() => {}); // otherwise the server deletes it after some minutes
  }
}
