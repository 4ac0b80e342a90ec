// Deliveries of events to webhook endpoints. Pending ones are work for the sender; the others are retained so that admins can inspect them.
import { type Db, execute, row, type SystemTx, sql, type TenantTx, type Tx } from '@clinic/lib/db/db.ts';
import { hasPassed } from '@clinic/lib/db/has-passed.ts';
import { readPage } from '@clinic/lib/db/read-page.ts';
import { toFields } from '@clinic/lib/formats/to-fields.ts';
import { type QueueRow, watchQueues } from '@clinic/lib/jobs/queue-age.ts';
import type { Log } from '@clinic/lib/telemetry/log.ts';
import type { EndpointResponse } from './post.ts';

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed', 'cancelled'] as const;
type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

type DeliveryRow = {
  clinic_id: string;
  id: string;
  endpoint_id: string;
  message_id: string;
  type: string;
  payload: string;
  status: DeliveryStatus;
  attempts: number;
  next_attempt_at: Date;
  retry_until: Date;
  last_attempt_at: Date | null;
  duration_ms: number | null;
  response_status: number | null;
  response_body: string | null;
  error: string | null;
  created_at: Date;
};

/** Only pending deliveries have a next attempt. */
export function toProto(delivery: DeliveryRow) {
  const { nextAttemptAt, ...fields } = toFields(delivery);
  return delivery.status === 'pending' ? { ...fields, nextAttemptAt } : fields;
}

const COLUMNS = `d.clinic_id, d.id, d.endpoint_id, d.message_id, d.type, d.payload, d.status, d.attempts, d.next_attempt_at, d.retry_until, d.last_attempt_at,
  d.duration_ms, d.response_status, d.response_body, d.error, d.created_at`;

// Because of the lock, an endpoint is disabled either before the insertion or after it, and then cancels the deliveries.
const insertStatement = sql(`
  insert into webhook_deliveries (clinic_id, id, endpoint_id, message_id, type, entity_id, payload, status, next_attempt_at, retry_until, created_at)
  select n.clinic_id, n.id, n.endpoint_id, n.message_id, $1, n.entity_id, n.payload, 'pending', $8, $9, $8
  from unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::text[]) as n (clinic_id, id, endpoint_id, message_id, entity_id, payload)
  join webhook_endpoints e on e.clinic_id = n.clinic_id and e.id = n.endpoint_id and e.is_active
  for share of e
  on conflict do nothing`);

type InsertedDelivery = { clinicId: string; id: string; endpointId: string; messageId: string; entityId: string; payload: string };

/** Existing deliveries are left unchanged. Endpoints that are not active get none. */
export async function insertDeliveries(tx: SystemTx, type: string, all: InsertedDelivery[], retryUntil: Date, now: Date): Promise<void> {
  const column = (name: keyof InsertedDelivery) => all.map((one) => one[name]);
  const columns = [column('clinicId'), column('id'), column('endpointId'), column('messageId'), column('entityId'), column('payload')];
  await execute(tx, insertStatement, [type, ...columns, now, retryUntil]);
}

export type NextDelivery = DeliveryRow & {
  url: string;
  secret_sealed: Buffer;
  previous_secret_sealed: Buffer | null;
  failures: number;
  failing_since: Date | null;
  /** When the endpoint was last changed. */
  updated_at: Date;
};

/** Whether deliveries to the endpoint `e` are attempted: it is active and not paused. */
export const isAttempted = (now: string) => `e.is_active and (e.paused_until is null or ${hasPassed('e.paused_until', now, '2 hours')})`;

/**
 * Whether the delivery `d` is due and no earlier one about the same record is pending. One that was never attempted is due, even if it was stored
 * before the clock was set back.
 */
export const isNext = (now: string) => `d.status = 'pending' and (d.attempts = 0 or ${hasPassed('d.next_attempt_at', now, '7 hours')})
  and not exists (select from webhook_deliveries earlier
    where earlier.clinic_id = d.clinic_id and earlier.endpoint_id = d.endpoint_id and earlier.status = 'pending' and earlier.entity_id = d.entity_id
      and earlier.message_id < d.message_id)`;

/** SQL: when a claim on an endpoint ends unless it is renewed. A claim lasts longer than an attempt can take. */
export const NEW_CLAIM_END = "now() + interval '20 seconds'";

// $1 clinic, $2 endpoint, $3 now, $4 the claim.
const nextStatement = sql<NextDelivery>(`
  with claimed as (
    update webhook_endpoints e set claimed_until = ${NEW_CLAIM_END}
    where clinic_id = $1 and id = $2 and claim = $4 and ${isAttempted('$3::timestamptz')}
    returning url, secret_sealed, case when previous_secret_until > $3 then previous_secret_sealed end as previous_secret_sealed, failures, failing_since,
      updated_at)
  select ${COLUMNS}, e.url, e.secret_sealed, e.previous_secret_sealed, e.failures, e.failing_since, e.updated_at
  from claimed e, webhook_deliveries d
  where d.clinic_id = $1 and d.endpoint_id = $2 and ${isNext('$3::timestamptz')}
  order by d.message_id limit 1`);

/** The next delivery of an endpoint that the caller has claimed; undefined if there is none, or the endpoint was disabled, deleted or claimed by another sender. */
export const nextDelivery = (tx: SystemTx, endpoint: { clinic_id: string; id: string }, claim: string, now: Date) =>
  row(tx, nextStatement, [endpoint.clinic_id, endpoint.id, now, claim]);

// If the delivery was sent again during an attempt that failed, which extends retry_until, that attempt decides nothing. A delivery that was cancelled
// meanwhile is not retried.
const IS_SENT_AGAIN = `$3 <> 'delivered' and date_trunc('milliseconds', retry_until) > $10`;
const saveStatement = sql(`
  update webhook_deliveries set
    status = case when (${IS_SENT_AGAIN}) or (status = 'cancelled' and $3 = 'pending') then status else $3 end,
    next_attempt_at = case when ${IS_SENT_AGAIN} then next_attempt_at else coalesce($4, next_attempt_at) end,
    attempts = attempts + 1, last_attempt_at = $5, duration_ms = $6, response_status = $7, response_body = $8, error = $9
  where clinic_id = $1 and id = $2`);

type Saved = Pick<DeliveryRow, 'clinic_id' | 'id' | 'retry_until'>;

/** `nextAttemptAt` is set if the delivery stays pending; `retry_until` is that of the beginning of the attempt. */
export async function saveAttempt(
  tx: SystemTx,
  { clinic_id, id, retry_until }: Saved,
  status: DeliveryStatus,
  { durationMs, status: code, body, error }: EndpointResponse,
  nextAttemptAt: Date | null,
  now: Date,
) {
  await execute(tx, saveStatement, [clinic_id, id, status, nextAttemptAt, now, durationMs, code, body, error, retry_until]);
}

const cancelStatement = sql(`update webhook_deliveries set status = 'cancelled' where clinic_id = $1 and endpoint_id = $2 and status = 'pending'`);

/** Cancels the pending deliveries of an endpoint that was disabled. */
export const cancelPending = (tx: Tx, clinicId: string, endpointId: string) => execute(tx, cancelStatement, [clinicId, endpointId]);

const listStatement = sql<DeliveryRow & { total: number }>(`
  select counted.total, page.*
  from (select count(*)::int as total from webhook_deliveries d where d.clinic_id = $1 and d.endpoint_id = $4 and ($5::text is null or d.status = $5)) counted
  left join lateral (
    select ${COLUMNS} from webhook_deliveries d where d.clinic_id = $1 and d.endpoint_id = $4 and ($5::text is null or d.status = $5)
    order by d.message_id desc limit $2 offset $3
  ) page on true`);

export const listDeliveries = (db: Db, clinicId: string, endpointId: string, status: DeliveryStatus | null, limit: number, offset: number) =>
  readPage(db, clinicId, listStatement, [clinicId, limit, offset, endpointId, status]);

const redeliverStatement = sql<DeliveryRow>(`
  update webhook_deliveries d set status = 'pending', next_attempt_at = $3, retry_until = $4 where d.clinic_id = $1 and d.id = $2 returning ${COLUMNS}`);

export const redeliver = (tx: TenantTx, id: string, now: Date, retryUntil: Date) => row(tx, redeliverStatement, [tx.clinicId, id, now, retryUntil]);

const isActiveStatement = sql<{ is_active: boolean }>(`
  select e.is_active from webhook_deliveries d join webhook_endpoints e on e.clinic_id = d.clinic_id and e.id = d.endpoint_id
  where d.clinic_id = $1 and d.id = $2 for share of e`);

/** Whether the endpoint of a delivery is active, which cannot change until the transaction ends; undefined if there is no such delivery. */
export const shareEndpointState = (tx: TenantTx, id: string) => row(tx, isActiveStatement, [tx.clinicId, id]);

const purgeStatement = sql(`
  delete from webhook_deliveries where (clinic_id, id) in (
    select clinic_id, id from webhook_deliveries where status <> 'pending' and created_at < $1 limit $2)`);

/** Deletes up to `limit` deliveries that are not pending and were created before `before`. Returns their number. */
export const purgeDeliveries = (tx: SystemTx, before: Date, limit: number): Promise<number> => execute(tx, purgeStatement, [before, limit]);

// As the system, because it covers all clinics. Deliveries to an endpoint that fails do not count as late.
const queueStatement = sql<QueueRow>(`
  select 'webhooks' as queue, count(*) as waiting, extract(epoch from now() - min(d.next_attempt_at))::float8 as seconds
  from webhook_endpoints e join webhook_deliveries d on d.clinic_id = e.clinic_id and d.endpoint_id = e.id
  where e.is_active and e.failing_since is null and d.status = 'pending' and d.next_attempt_at <= now()`);

export const watchDeliveries = (app: { db: Db; log: Log }) => watchQueues(app, ['webhooks'], queueStatement);
