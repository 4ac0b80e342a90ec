// Outbound messages on a running messaging service with a fake of the chat provider.
import { randomUUID } from 'node:crypto';
import { inTenant } from '@clinic/lib/db/db.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { insertOutbound, type NewOutbound } from '../outbound/outbound.sql.ts';
import type { Outgoing } from '../outbound/outgoing-content-rules.ts';
import { addToConversations } from '../outbound/send.ts';
import { delivery, type Messaging, startMessaging } from './messaging.ts';
import { shiftedClock } from './shifted-clock.ts';

export type Clinic = Awaited<ReturnType<Messaging['clinic']>>;
type Stored = Partial<NewOutbound> & { phone: string; content?: Outgoing; now?: Date };

export async function startOutbound() {
  const clock = shiftedClock();
  const m = await startMessaging({ clock });
  let phones = 70_100_000;
  const rowOf = async (id: string) => (await m.look('select * from outbound where id = $1', [id]))[0];
  return {
    m,
    clock,
    /** A clinic with an active number and no quiet hours. */
    async newClinic(): Promise<Clinic> {
      const clinic = await m.clinic();
      await m.look("insert into reminder_settings values ($1, true, '00:00', '00:00', now())", [clinic.id]);
      return clinic;
    },
    /** The phone of a patient who has just written, so that the window is open. */
    async patientOf(clinic: Clinic): Promise<string> {
      const digits = `503${++phones}`;
      await m.deliver(delivery(clinic.numberId, digits, { at: Math.floor(clock.now().getTime() / 1000) }));
      await m.settled();
      return `+${digits}`;
    },
    /** A phone that has never written. */
    newPhone: () => `+503${++phones}`,
    /** Stores a message to be sent; undefined if there is one with its reference. */
    store: (clinic: Clinic, { phone, content = { text: 'Hola' }, now = clock.now(), ...fields }: Stored) =>
      inTenant(m.service.db, clinic.id, async (tx) => {
        const defaults = { id: randomUUID(), kind: 'test', reference: null, sender: 'system', sent_by: null, answers: null, needed_by: null } as const;
        const message = { ...defaults, priority: 1, due_at: now, phone, ...fields };
        if (!(await insertOutbound(tx, clinic.id, message, now))) return undefined;
        await addToConversations(tx, [{ ...message, clinic_id: clinic.id, content }], now);
        return message;
      }),
    rowOf,
    /** Waits until a message has the state. */
    reaches: (id: string, state: string) =>
      waitFor(async () => {
        const row = await rowOf(id);
        if (row?.state !== state) throw new Error(`is ${row?.state} (${row?.error_code} ${row?.error}), not ${state}`);
        return row;
      }),
    /** The payloads of the published events about a reference. */
    published: async (reference: string) =>
      (await m.look("select payload from outbox where subject like '%outbound-message-updated' and payload->>'reference' = $1 order by id", [reference])).map(
        ({ payload }) => payload,
      ),
    stop: () => m.stop(),
  };
}

export type OutboundFixture = Awaited<ReturnType<typeof startOutbound>>;
