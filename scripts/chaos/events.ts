// Checks that each booking acknowledged with 201 has its event in the outbox, that the event was published, and that every consumer has handled
// it.
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { withClient } from '../database.ts';
import { sum } from '../statistics.ts';
import { isHandled } from './campaign/unhandled-events.ts';
import type { Outcome } from './traffic.ts';

/** Consumers of AppointmentBooked, by service. */
const CONSUMERS = { platform: 'appointment-booked', messaging: 'reminders-booked', dental: 'recall-appointment-booked' };

export type Missing = { bookings: number; unpublished: number; unhandled: Record<string, number> };

/** Waits up to `timeoutMs` until no event of the acknowledged bookings is missing. Returns the numbers that are still missing. */
export async function missingEvents(ownerUrl: string, outcomes: Outcome[], timeoutMs: number): Promise<Missing> {
  const ids = outcomes.filter(isBooked).map(({ body }) => JSON.parse(body).id as string);
  return withClient(ownerUrl, async (client) => {
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      const missing = await findMissing(client, ids);
      if (isComplete(missing) || performance.now() > deadline) return missing;
      await sleep(250);
    }
  });
}

export const isBooked = ({ kind, status }: Outcome) => kind === 'booking' && status === 201;

export const isComplete = ({ bookings, unpublished, unhandled }: Missing) => bookings + unpublished + sum(Object.values(unhandled)) === 0;

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
