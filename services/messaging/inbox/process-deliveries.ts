// From stored deliveries to threads and states, in the order of arrival. One batch at a time over all replicas; nothing here
// waits for anybody else, so the order costs little.
import { asSystem, type SystemTx } from '@clinic/lib/db/db.ts';
import { toServiceError } from '@clinic/lib/errors/errors.ts';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import { isOptOut } from '../bot/rules/intents.ts';
import { findClinicsOf } from '../channel/channels.sql.ts';
import { previewOf } from '../conversations/message-content-rules.ts';
import { emitAllUpdated } from '../conversations/conversations.sql.ts';
import { SILENCE_MS, WINDOW_MS } from '../conversations/takeover-rules.ts';
import { applyStatus } from './apply-status.ts';
import { insertArrivals, type NewMessage, type Touched } from './received-messages.sql.ts';
import { settleEvents, takeWaiting, type Verdict, type WaitingEvent } from './chat-events.sql.ts';
import { type Arrival, type Delivery, readDelivery } from './delivery-payload-rules.ts';
import { openEvent } from './delivery-encryption.ts';

const BATCH = 200;

export type Split = { size: number; touched: Touched[] };

/** Works on the deliveries that came first. Throws only when the store is away; a delivery that cannot be used is set aside. */
export async function splitBatch(app: App): Promise<Split> {
  try {
    return await splitUpTo(app, BATCH);
  } catch (error) {
    if (toServiceError(error, {}).reason === 'UNAVAILABLE') throw error;
    return splitOne(app);
  }
}

/** The first delivery alone, set aside when it is the one that fails. */
async function splitOne(app: App): Promise<Split> {
  try {
    return await splitUpTo(app, 1);
  } catch (error) {
    const reason = toServiceError(error, {}).reason;
    if (reason === 'UNAVAILABLE') throw error;
    app.log.error({ err: error }, 'a delivery cannot be used');
    return asSystem(app.db, async (tx) => {
      const [event] = await takeWaiting(tx, 1);
      if (event) await settleEvents(tx, [{ id: event.id, status: 'unusable', detail: reason }]);
      return { size: event ? 1 : 0, touched: [] };
    });
  }
}

type Clinics = Awaited<ReturnType<typeof findClinicsOf>>;
type Read = { event: WaitingEvent; delivery: Delivery | undefined };

function splitUpTo(app: App, limit: number): Promise<Split> {
  // As the system: a delivery may speak of several clinics.
  return asSystem(app.db, async (tx) => {
    const events = await takeWaiting(tx, limit);
    if (events.length === 0) return { size: 0, touched: [] };
    const read: Read[] = events.map((event) => ({ event, delivery: readDelivery(openEvent(app.keys, event.id, event.body_sealed)) }));
    const clinics = await findClinicsOf(tx, [...new Set(read.flatMap(({ delivery }) => numbersOf(delivery)))]);
    for (const news of read.flatMap(({ delivery }) => delivery?.statuses ?? [])) {
      const clinicId = clinics.get(news.numberId);
      if (clinicId) await applyStatus(app, tx, clinicId, news);
    }
    const touched = await thread(app, tx, read, clinics);
    await settleEvents(
      tx,
      read.map(({ event, delivery }) => ({ id: event.id, ...verdict(delivery, clinics) })),
    );
    return { size: events.length, touched };
  });
}

const numbersOf = (delivery: Delivery | undefined) => [...(delivery?.arrivals ?? []), ...(delivery?.statuses ?? [])].map(({ numberId }) => numberId);

function verdict(delivery: Delivery | undefined, clinics: Clinics): Verdict {
  if (!delivery) return { status: 'unusable', detail: 'It is not a delivery of the chat provider' };
  const numbers = [...new Set(numbersOf(delivery))];
  const waitsFor = numbers.filter((number) => clinics.get(number) === null);
  if (waitsFor.length > 0) return { status: 'unproven_number', detail: `No clinic has proven the number ${waitsFor.join(', ')}`, waitsFor };
  const unknown = numbers.filter((number) => !clinics.has(number));
  return unknown.length > 0 ? { status: 'unknown_number', detail: `No clinic has the number ${unknown.join(', ')}` } : { status: 'done', detail: '' };
}

async function thread(app: App, tx: SystemTx, read: Read[], clinics: Clinics): Promise<Touched[]> {
  const now = app.clock.now();
  const messages = read.flatMap(({ delivery }) =>
    (delivery?.arrivals ?? []).flatMap((arrival) => {
      const clinicId = clinics.get(arrival.numberId);
      return clinicId ? [messageOf(arrival, clinicId, now)] : [];
    }),
  );
  if (messages.length === 0) return [];
  const touched = await insertArrivals(tx, messages, { now, windowMs: WINDOW_MS, silenceMs: SILENCE_MS });
  await emitAllUpdated(tx, touched, 'message', now);
  return touched;
}

function messageOf(arrival: Arrival, clinicId: string, now: Date): NewMessage {
  const { phone, hasPhone, profileName, providerId, type, content, echo, answerable } = arrival;
  // A clock that goes ahead of ours must not hold the window open for longer.
  const sentAt = Number.isNaN(arrival.at) ? now : new Date(Math.min(arrival.at * 1000, now.getTime()));
  return {
    clinic_id: clinicId,
    id: v7(),
    thread_id: v7(),
    phone,
    profile_name: profileName ?? null,
    human: !hasPhone,
    echo,
    provider_id: providerId,
    type,
    content: JSON.stringify(content),
    preview: previewOf(type, content),
    answerable: answerable && hasPhone,
    wish: isOptOut(type, content),
    sent_at: sentAt,
  };
}
