// Events of the payment provider as they arrived. Always as the system, since they belong to no clinic.
import { type Db, execute, getRow, readSystem, row, type SystemTx, sql } from '@clinic/lib/db/db.ts';
import type { Label } from './parse-event-rules.ts';

export const STATUSES = ['received', 'applied', 'ignored', 'unusable', 'unknown_clinic', 'unknown_variant'] as const;
type EventStatus = (typeof STATUSES)[number];

type PaymentEventRow = {
  id: string;
  event_name: string | null;
  status: EventStatus;
  reason: string | null;
  clinic_id: string | null;
  order_id: string | null;
  subscription_id: string | null;
  variant_id: string | null;
  received_at: Date;
  processed_at: Date | null;
};

const COLUMNS = 'id, event_name, status, reason, clinic_id, order_id, subscription_id, variant_id, received_at, processed_at';

const insertStatement = sql(`
  insert into payment_events (id, dedupe_key, body_sealed, header_name, status, received_at) values ($1, $2, $3, $4, 'received', $5)
  on conflict on constraint payment_events_dedupe do nothing`);

/** False when the event is stored already. */
export const insertPaymentEvent = async (tx: SystemTx, event: { id: string; dedupeKey: string; ciphertext: Buffer; headerName: string }, now: Date) =>
  (await execute(tx, insertStatement, [event.id, event.dedupeKey, event.ciphertext, event.headerName, now])) === 1;

const findByKeyStatement = sql<{ id: string }>('select id from payment_events where dedupe_key = $1');

/** Events are never deleted. */
export const findEventId = async (tx: SystemTx, dedupeKey: string) => (await getRow(tx, findByKeyStatement, [dedupeKey])).id;

export type RawEvent = { id: string; body_sealed: Buffer; header_name: string; status: EventStatus; received_at: Date };

const lockRawStatement = sql<RawEvent>('select id, body_sealed, header_name, status, received_at from payment_events where id = $1 for update');

export const lockRawEvent = (tx: SystemTx, id: string) => row(tx, lockRawStatement, [id]);

const markStatement = sql(`
  update payment_events set status = $2, reason = $3, event_name = $4, clinic_id = $5, order_id = $6, subscription_id = $7, variant_id = $8, processed_at = $9
  where id = $1`);

export type EventOutcome = { status: EventStatus; reason: string | null; label: Label };

export async function markPaymentEvent(tx: SystemTx, id: string, { status, reason, label }: EventOutcome, now: Date): Promise<void> {
  const { eventName = null, clinicId = null, orderId = null, subscriptionId = null, variantId = null } = label;
  await execute(tx, markStatement, [id, status, reason, eventName, clinicId, orderId, subscriptionId, variantId, now]);
}

const settleStatement = sql(`
  update payment_events e set status = $2, reason = $3, clinic_id = $1
  from payment_facts f where f.event_id = e.id and f.clinic_id = $1 and e.status in ('received', 'applied', 'unknown_clinic', 'unknown_variant')
    and (e.status <> $2 or e.clinic_id is distinct from $1)`);

/** Sets the status of every parsed event of a clinic: applied, or unknown_clinic when identity has no such clinic. */
export const settleEventsOf = (tx: SystemTx, clinicId: string, status: 'applied' | 'unknown_clinic', reason: string | null) =>
  execute(tx, settleStatement, [clinicId, status, reason]);

const resetStatement = sql<PaymentEventRow>(`update payment_events set status = 'received', reason = null where id = $1 returning ${COLUMNS}`);

/** Undefined when there is no such event. */
export const resetPaymentEvent = (tx: SystemTx, id: string) => row(tx, resetStatement, [id]);

const listStatement = sql<PaymentEventRow>(`
  select ${COLUMNS} from payment_events where $1::text is null or status = $1 order by received_at desc, id desc limit $2 offset $3`);

const countStatement = sql<{ count: number }>(`select count(*)::int as count from payment_events where $1::text is null or status = $1`);

/** Newest first. */
export async function listEvents(db: Db, status: EventStatus | null, limit: number, offset: number): Promise<{ events: PaymentEventRow[]; total: number }> {
  const [events, [counted]] = await Promise.all([readSystem(db, listStatement, [status, limit, offset]), readSystem(db, countStatement, [status])]);
  return { events, total: counted?.count ?? 0 };
}

const unprocessedStatement = sql<{ id: string }>(`
  select id from payment_events where status = 'received' and received_at < $1 order by received_at limit $2`);

/** Events that arrived before an instant and have not been processed. */
export const listUnprocessed = (db: Db, before: Date, limit: number) => readSystem(db, unprocessedStatement, [before, limit]);
