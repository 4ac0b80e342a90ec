// Adds the phone of a conversation to its events: events identify conversations by id, the public API by phone.
import { Remembered } from '@clinic/lib/background/remembered.ts';
import { serviceCaller } from '@clinic/lib/rpc/caller.ts';
import type { Log } from '@clinic/lib/telemetry/log.ts';
import { ConversationService } from '@clinic/proto/messaging/v1/conversation_pb.js';
import type { Transport } from '@connectrpc/connect';
import { call } from '../http/rpc.ts';
import type { LiveEvent } from './live-event.ts';

const TIMEOUT_MS = 1_000;
const MAX_KNOWN = 20_000;

/** Returns the events of one clinic with the phones of their conversations; a phone is null if there is none or messaging is unavailable. */
export type AddPhones = (clinicId: string, events: LiveEvent[]) => Promise<LiveEvent[]>;

const conversationOf = ({ data }: LiveEvent) => (typeof data.conversation_id === 'string' ? data.conversation_id : undefined);

export function createAddPhones(messaging: Transport, log: Log): AddPhones {
  const known = new Remembered<string>(MAX_KNOWN); // the phone of a conversation never changes

  async function find(clinicId: string, ids: string[]): Promise<void> {
    if (ids.length === 0) return;
    const caller = serviceCaller('gateway', 'live-events');
    const { phones } = await call(messaging, ConversationService.method.listConversationPhones, { clinicId, ids }, caller, { timeoutMs: TIMEOUT_MS });
    for (const [id, phone] of Object.entries(phones)) known.set(id, phone);
  }

  return async (clinicId, events) => {
    const ids = new Set(events.flatMap((event) => conversationOf(event) ?? []).filter((id) => known.get(id) === undefined));
    await find(clinicId, [...ids]).catch((error: unknown) => log.warn({ err: error }, 'live events are sent without the phones of their conversations'));
    return events.map((event) => {
      const id = conversationOf(event);
      return id === undefined ? event : { ...event, data: { ...event.data, phone: known.get(id) ?? null } };
    });
  };
}
