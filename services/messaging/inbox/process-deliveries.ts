// Converts stored deliveries into messages and statuses, in the order in which they arrived: one batch at a time over all replicas. A batch
// calls no other service, so that it is short.
import { startLoop } from '@clinic/lib/background/loop.ts';
import { pauseAfter } from '@clinic/lib/background/pace.ts';
import type { Stoppable } from '@clinic/lib/background/stop.ts';
import { asSystem } from '@clinic/lib/db/db.ts';
import { toServiceError } from '@clinic/lib/errors/errors.ts';
import { countUse } from '@clinic/lib/usage/usage.ts';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import { findClinicsByNumber } from '../channel/channels.sql.ts';
import { emitAllUpdated } from '../conversations/conversations.sql.ts';
import { toPreview } from '../conversations/message-content-rules.ts';
import { applyStatuses } from '../outbound/apply-statuses.ts';
import { DELIVERIES_PACE } from '../outbound/chat-loop.ts';
import { REST_MS } from '../outbound/watch-work.ts';
import { type ProcessingResult, type ReceivedEvent, saveResults, takeReceivedEvents } from './chat-events.sql.ts';
import { type Delivery, parseDelivery, type ReceivedMessage } from './delivery-payload-rules.ts';
import { decryptDelivery } from './delivery-store.ts';
import { insertReceivedMessages, type NewMessage } from './received-messages.sql.ts';
import { findRecordedChoice, reportsEmergency } from './recorded-choices.ts';

const BATCH_SIZE = 200;
const MAX_YIELD_MS = 300;

export function startInboxWorker(app: App): Stoppable {
  const options = { log: app.log, failure: 'chat deliveries are not processed', signal: app.deliveryStored, everyMs: REST_MS };
  return startLoop(options, async (stopped) => {
    await app.deliveryStore.waitWhileBusy(MAX_YIELD_MS);
    const size = await processDeliveries(app);
    if (size === BATCH_SIZE) return true;
    await pauseAfter(size, DELIVERIES_PACE, stopped);
  });
}

/**
 * Processes up to BATCH_SIZE of the oldest deliveries and returns their number. Throws only if the database is unavailable; a delivery that
 * fails is saved as unusable.
 */
export async function processDeliveries(app: App): Promise<number> {
  try {
    return await processUpTo(app, BATCH_SIZE);
  } catch (error) {
    if (toServiceError(error, {}).reason === 'UNAVAILABLE') throw error;
    return processOneDelivery(app);
  }
}

/** Processes the oldest delivery only, and saves it as unusable if it fails. */
async function processOneDelivery(app: App): Promise<number> {
  const tried: string[] = [];
  try {
    return await processUpTo(app, 1, tried);
  } catch (error) {
    const reason = toServiceError(error, {}).reason;
    if (reason === 'UNAVAILABLE') throw error;
    app.log.error({ err: error }, 'a delivery of the chat provider could not be processed and is saved as unusable');
    return asSystem(app.db, async (tx) => {
      const [event] = await takeReceivedEvents(tx, 1);
      // Meanwhile another process may have processed the delivery that failed, or an older one may have been committed.
      if (!event || !tried.includes(event.id)) return 0;
      saveResults(tx, [{ id: event.id, status: 'unusable', detail: reason }]);
      return 1;
    });
  }
}

type Clinics = Awaited<ReturnType<typeof findClinicsByNumber>>;
type ParsedDelivery = { event: ReceivedEvent; delivery: Delivery | undefined };

/** Adds the ids of the deliveries to `tried`. */
async function processUpTo(app: App, limit: number, tried: string[] = []): Promise<number> {
  let stored: NewMessage[] = [];
  // As the system, because a delivery may be for several clinics.
  const processed = await asSystem(app.db, async (tx) => {
    const events = await takeReceivedEvents(tx, limit);
    if (events.length === 0) return 0;
    tried.push(...events.map(({ id }) => id));
    const parsed: ParsedDelivery[] = events.map((event) => ({ event, delivery: parseDelivery(decryptDelivery(app.keys, event.id, event.body_sealed)) }));
    const clinics = await findClinicsByNumber(tx, [...new Set(parsed.flatMap(({ delivery }) => numbersOf(delivery)))]);
    const now = app.clock.now();
    const statuses = parsed.flatMap(({ delivery }) => ofClinics(delivery?.statuses ?? [], clinics));
    await applyStatuses(tx, app.log, statuses, now);
    const received = parsed.flatMap(({ delivery }) => ofClinics(delivery?.messages ?? [], clinics).map((message) => toNewMessage(message, now)));
    if (received.length > 0) {
      const inserted = await insertReceivedMessages(tx, received, now);
      stored = inserted.stored;
      const { message = [], takeover = [] } = Object.groupBy(inserted.changes, ({ change }) => change);
      await emitAllUpdated(tx, message, 'message', now);
      await emitAllUpdated(tx, takeover, 'takeover', now);
    }
    const results = parsed.map(({ event, delivery }) => ({ id: event.id, ...toResult(delivery, clinics) }));
    saveResults(tx, results);
    return events.length;
  });
  for (const { clinic_id } of stored) countUse(clinic_id, app.clock.now(), { messages: 1 });
  return processed;
}

/** Adds to each message or status the clinic that has proven its number. Those of other numbers are omitted. */
const ofClinics = <T extends { numberId: string }>(parsed: T[], clinics: Clinics) =>
  parsed.flatMap((one) => {
    const clinicId = clinics.get(one.numberId);
    return clinicId ? [{ ...one, clinicId }] : [];
  });

const numbersOf = (delivery: Delivery | undefined) => [...(delivery?.messages ?? []), ...(delivery?.statuses ?? [])].map(({ numberId }) => numberId);

function toResult(delivery: Delivery | undefined, clinics: Clinics): ProcessingResult {
  if (!delivery) return { status: 'unusable', detail: 'The body is not a delivery of the chat provider' };
  const numbers = [...new Set(numbersOf(delivery))];
  const waitsFor = numbers.filter((number) => clinics.get(number) === null);
  if (waitsFor.length > 0) return { status: 'unproven_number', detail: `No clinic has proven the number ${waitsFor.join(', ')}`, waitsFor };
  const unknown = numbers.filter((number) => !clinics.has(number));
  if (unknown.length > 0) return { status: 'unknown_number', detail: `No clinic has the number ${unknown.join(', ')}` };
  if (delivery.omitted > 0) return { status: 'unusable', detail: `Messages and statuses without an id, a sender or a number: ${delivery.omitted}` };
  return { status: 'done', detail: '' };
}

function toNewMessage(message: ReceivedMessage & { clinicId: string }, now: Date): NewMessage {
  const { phone, hasPhone, profileName, providerId, at, type, content, echo, answerable } = message;
  return {
    clinic_id: message.clinicId,
    id: v7(),
    new_conversation_id: v7(),
    phone,
    profile_name: profileName ?? null,
    human: !hasPhone,
    echo,
    provider_id: providerId,
    type,
    content: JSON.stringify(content),
    preview: toPreview(type, content),
    answerable: answerable && hasPhone,
    is_recorded: findRecordedChoice(type, content) !== undefined,
    is_emergency: !echo && answerable && reportsEmergency(type, content),
    // If the provider's clock is ahead of this one, that must not extend the 24-hour window.
    sent_at: Number.isNaN(at) ? now : new Date(Math.min(at * 1000, now.getTime())),
  };
}
