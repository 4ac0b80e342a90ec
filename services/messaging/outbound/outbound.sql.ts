// Outgoing messages and their state. One replica at a time claims messages, so that the limits of a number hold.
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { type Db, execute, row, rows, type SystemTx, sql, type TenantTx, type Tx } from '@clinic/lib/db/db.ts';
import { emit } from '@clinic/lib/events/outbox.ts';
import { type QueueRow, watchQueues } from '@clinic/lib/jobs/queue-age.ts';
import type { Log } from '@clinic/lib/telemetry/log.ts';
import { OutboundMessageUpdatedSchema } from '@clinic/proto/events/v1/messaging_pb.js';
import type { OutboundState } from './delivery-state-rules.ts';
import type { Outgoing } from './outgoing-content-rules.ts';
import { encodeReference, type Reference } from './reference-rules.ts';

export type OutboundRow = {
  clinic_id: string;
  id: string;
  kind: string;
  reference: string | null;
  phone: string | null;
  sender: 'bot' | 'user' | 'system';
  sent_by: string | null;
  content: Outgoing | null;
  outside_window: Outgoing | null;
  resend: boolean;
  state: OutboundState;
  attempts: number;
  provider_id: string | null;
  error_code: string;
  error: string;
  /** W3C trace context of the request that stored it; null when tracing is off. */
  trace: string | null;
};

const COLUMNS = `o.clinic_id, o.id, o.kind, o.reference, o.phone, o.sender, o.sent_by, o.content, o.outside_window, o.resend, o.state, o.attempts, o.provider_id,
  o.error_code, o.error, o.trace`;

type Stored = 'id' | 'kind' | 'reference' | 'phone' | 'sender' | 'sent_by' | 'content' | 'outside_window' | 'resend';
export type NewOutbound = Pick<OutboundRow, Stored> & { answers: string | null; priority: number; due_at: Date };

const insertStatement = sql<{ id: string }>(`
  insert into outbound (clinic_id, id, kind, reference, phone, sender, sent_by, content, outside_window, answers, priority, resend, next_attempt_at, created_at, updated_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $14)
  on conflict do nothing returning id`);

/** False when a message with this reference, or an answer to this message, exists. */
export async function insertOutbound(tx: Tx, clinicId: string, outbound: NewOutbound, now: Date): Promise<boolean> {
  const { id, kind, reference, phone, sender, sent_by, content, outside_window, answers, priority, resend, due_at } = outbound;
  const json = (value: Outgoing | null) => (value ? JSON.stringify(value) : null);
  const values = [clinicId, id, kind, reference, phone, sender, sent_by, json(content), json(outside_window), answers, priority, resend, due_at, now];
  return (await row(tx, insertStatement, values)) !== undefined;
}

/** The provider's limit for one number. */
const MAX_PER_SECOND = 80;
/** The provider's limit for one phone: a message each 6 seconds, of which 45 may be sent at once. */
const PAIR_BURST = 45;
const PAIR_SECONDS = 270;

const lockStatement = sql("select pg_advisory_xact_lock(hashtext('messaging.outbound'))");
// Messages of one phone are sent one after another. One that waits for another attempt holds back the later ones.
const claimStatement = sql<OutboundRow>(`
  with due as (
    select o.clinic_id, o.id, o.phone, o.priority, o.seq, row_number() over (partition by o.clinic_id, coalesce(o.phone, o.id::text) order by o.seq) as turn
    from outbound o join channels c on c.clinic_id = o.clinic_id
    where o.state = 'queued' and o.next_attempt_at <= $1 and c.status not in ('disconnected', 'failed')
      and c.phone_number_id is not null and c.access_token_sealed is not null
      and not exists (
        select from outbound e where e.clinic_id = o.clinic_id and e.phone = o.phone and e.seq < o.seq
          and (e.state = 'sending' or (e.state = 'queued' and e.attempts > 0 and e.next_attempt_at > $1)))
  ), ready as (
    select d.clinic_id, d.id, row_number() over (partition by d.clinic_id order by d.priority, d.seq) as place from due d
    where d.turn = 1 and (select count(*) from outbound p where p.clinic_id = d.clinic_id and p.phone = d.phone
      and p.claimed_at > $1 - interval '${PAIR_SECONDS} seconds') < ${PAIR_BURST}
  ), allowed as (
    select r.clinic_id, r.id from ready r
    where r.place <= ${MAX_PER_SECOND} - (select count(*) from outbound p where p.clinic_id = r.clinic_id and p.claimed_at > $1 - interval '1 second')
    order by r.place limit $2
  )
  update outbound o set state = 'sending', attempts = o.attempts + 1, claimed_at = $1, updated_at = $1
  from allowed a where o.clinic_id = a.clinic_id and o.id = a.id and o.state = 'queued'
  returning ${COLUMNS}`);

/** Claims up to `limit` messages that are due, within the provider's limits for number and phone. */
export async function claimOutbound(tx: SystemTx, now: Date, limit: number): Promise<OutboundRow[]> {
  await rows(tx, lockStatement);
  return rows(tx, claimStatement, [now, limit]);
}

const lockOneStatement = sql<OutboundRow>(`select ${COLUMNS} from outbound o where o.clinic_id = $1 and o.id = $2 for update`);
const lockByProviderStatement = sql<OutboundRow>(`select ${COLUMNS} from outbound o where o.clinic_id = $1 and o.provider_id = $2 for update`);

export const lockOutbound = (tx: Tx, clinicId: string, id: string) => row(tx, lockOneStatement, [clinicId, id]);
export const lockOutboundByProvider = (tx: Tx, clinicId: string, providerId: string) => row(tx, lockByProviderStatement, [clinicId, providerId]);

const outcomeStatement = sql(`
  update outbound set state = $3, provider_id = coalesce($4, provider_id), error_code = $5, error = $6, next_attempt_at = coalesce($7, next_attempt_at), updated_at = $8
  where clinic_id = $1 and id = $2`);
const messageStatement = sql(`
  update messages set status = $3, error = nullif($4, ''), provider_id = coalesce(provider_id, $5), sent_at = coalesce(sent_at, $6)
  where clinic_id = $1 and id = $2`);

export type OutboundOutcome = { state: OutboundState; providerId?: string; code?: string; error?: string; nextAttemptAt?: Date };

// The states that are published in OutboundMessageUpdated, with their names there.
const PUBLISHED_STATUS: Partial<Record<OutboundState, string>> = {
  sent: 'sent',
  delivered: 'delivered',
  read: 'read',
  failed: 'failed',
  dead: 'failed',
  dropped: 'failed',
};

/** Saves the outcome of a locked message, also in its conversation, and publishes it when the message has a reference. */
export async function recordOutcome(tx: Tx, outbound: OutboundRow, outcome: OutboundOutcome, now: Date): Promise<void> {
  const { state, providerId = null, code = '', error = '', nextAttemptAt = null } = outcome;
  const sentAt = ['sent', 'delivered', 'read'].includes(state) ? now : null;
  const status = PUBLISHED_STATUS[state];
  await Promise.all([
    execute(tx, outcomeStatement, [outbound.clinic_id, outbound.id, state, providerId, code, error, nextAttemptAt, now]),
    execute(tx, messageStatement, [outbound.clinic_id, outbound.id, state, error, providerId, sentAt]),
    status &&
      outbound.reference !== null &&
      emit(tx, outbound.clinic_id, OutboundMessageUpdatedSchema, {
        reference: outbound.reference,
        kind: outbound.kind,
        status,
        at: timestampFromDate(now),
        failure: status === 'failed' ? code || state : '',
      }),
  ]);
}

const writeStatement = sql('update outbound set phone = $3, content = $4, outside_window = $5 where clinic_id = $1 and id = $2');

/** Saves the content of a prepared message, so that another attempt sends the same. */
export async function writeContent(tx: TenantTx, id: string, phone: string, content: Outgoing, outsideWindow: Outgoing | null): Promise<void> {
  await execute(tx, writeStatement, [tx.clinicId, id, phone, JSON.stringify(content), outsideWindow && JSON.stringify(outsideWindow)]);
}

const cancelStatement = sql(`
  update outbound set state = 'dropped', error_code = 'cancelled', updated_at = $4 where clinic_id = $1 and kind = $2 and reference = $3 and state = 'queued'`);

/** Cancels the message about it if no attempt was made to send it. */
export async function cancelOutbound(tx: Tx, clinicId: string, reference: Reference, now: Date): Promise<void> {
  await execute(tx, cancelStatement, [clinicId, reference.kind, encodeReference(reference), now]);
}

const abandonedStatement = sql<OutboundRow>(`select ${COLUMNS} from outbound o where o.state = 'sending' and o.claimed_at < $1 for update skip locked`);
const unconfirmedStatement = sql<OutboundRow>(
  `select ${COLUMNS} from outbound o where o.state = 'uncertain' and o.next_attempt_at <= $1 for update skip locked`,
);
const expiredStatement = sql<OutboundRow>(`select ${COLUMNS} from outbound o where o.state = 'queued' and o.next_attempt_at < $1 for update skip locked`);

/** Messages claimed before then whose worker has crashed. */
export const findAbandoned = (tx: SystemTx, before: Date) => rows(tx, abandonedStatement, [before]);
/** Messages that the provider has not confirmed in time. */
export const findUnconfirmed = (tx: SystemTx, now: Date) => rows(tx, unconfirmedStatement, [now]);
/** Messages that are due since before then and were not sent. */
export const findExpired = (tx: SystemTx, before: Date) => rows(tx, expiredStatement, [before]);

// As the system: over all clinics.
const queueStatement = sql<QueueRow>(`
  select 'chat-outbound' as queue, count(*) as waiting, extract(epoch from now() - min(next_attempt_at))::float8 as seconds
  from outbound where state = 'queued' and next_attempt_at <= now()`);

export const watchOutbound = (app: { db: Db; log: Log }) => watchQueues(app, ['chat-outbound'], queueStatement);
