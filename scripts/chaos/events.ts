// Checks that each booking answered with 201 has its event in the outbox, that the event was published and that every consumer
// handled it.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { isHandled } from './campaign/unhandled-events.ts';

/** Consumers of AppointmentBooked, by service. */
const CONSUMERS = { platform: 'appointment-booked', messaging: 'reminders-booked', dental: 'recall-appointment-booked' };

export type Missing = { bookings: number; unpublished: number; unhandled: Record<string, number> };

/** Waits up to `timeoutMs` until nothing is missing. `ids` are the appointments whose booking was answered with 201. Returns what is still missing. */
export async function missingEvents(ownerUrl: string, ids: string[], timeoutMs: number): Promise<Missing> {
  const client = new pg.Client({ connectionString: ownerUrl });
  await client.connect();
  try {
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      const missing = await findMissing(client, ids);
      if (isComplete(missing) || performance.now() > deadline) return missing;
      await sleep(250);
    }
  } finally {
    await client.end();
  }
}

export const isComplete = ({ bookings, unpublished, unhandled }: Missing) => bookings + unpublished + Object.values(unhandled).reduce((a, b) => a + b, 0) === 0;

async function findMissing(client: pg.Client, ids: string[]): Promise<Missing> {
  const count = async (text: string, values: unknown[] = []) => Number((await client.query<{ n: string }>(text, values)).rows[0]?.n ?? 0);
  const events = `select count(*) as n from scheduling.outbox e where subject like '%.appointment-booked'`;
  const published = `select payload->'appointment'->>'appointmentId' from scheduling.outbox where subject like '%.appointment-booked'`;
  const unhandled: Record<string, number> = {};
  for (const [service, consumer] of Object.entries(CONSUMERS)) {
    unhandled[service] = await count(`${events} and not (${isHandled(service, consumer)})`);
  }
  return {
    bookings: await count(`select count(*) as n from (select unnest($1::text[]) except ${published}) missing`, [ids]),
    unpublished: await count('select count(*) as n from scheduling.outbox where published_at is null'),
    unhandled,
  };
}
