// Outgoing messages and their state.
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { type Db, execute, row, rows, type SystemTx, sql, type TenantTx, type Tx } from '@clinic/lib/db/db.ts';
import { emit } from '@clinic/lib/events/outbox.ts';
import { type QueueRow, watchQueues } from '@clinic/lib/jobs/queue-age.ts';
import type { Log } from '@clinic/lib/telemetry/log.ts';
import { OutboundMessageUpdatedSchema } from '@clinic/proto/events/v1/messaging_pb.js';
import type { Content } from '../conversations/message-content-rules.ts';
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
  state: OutboundState;
  attempts: number;
  claimed_at: Date;
  provider_id: string | null;
  error_code: string;
  error: string;
  created_at: Date;
  /** When it was to be sent first. */
  due_at: Date;
  /** When the patient needs it; null when it may wait. */
  needed_by: Date | null;
  /** W3C trace context of the request that stored it; null when tracing is off. */
  trace: string | null;
};

export const OUTBOUND_COLUMNS = `o.clinic_id, o.id, o.kind, o.reference, o.phone, o.sender, o.sent_by, o.content, o.outside_window, o.state, o.attempts,
  o.claimed_at, o.provider_id, o.error_code, o.error, o.created_at, coalesce(o.due_at, o.created_at) as due_at, o.needed_by, o.trace`;

type Stored = 'id' | 'kind' | 'reference' | 'phone' | 'sender' | 'sent_by' | 'content' | 'outside_window' | 'due_at' | 'needed_by';
export type NewOutbound = Pick<OutboundRow, Stored> & { answers: string | null; priority: number };

const insertStatement = sql<{ id: string }>(`
  insert into outbound (clinic_id, id, kind, reference, phone, sender, sent_by, content, outside_window, answers, priority, resend, next_attempt_at, due_at, needed_by,
    created_at, updated_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, false, $12, $12, $13, $14, $14)
  on conflict do nothing returning id`);

/** False when a message with this reference, or an answer to this message, exists. */
export async function insertOutbound(tx: Tx, clinicId: string, outbound: NewOutbound, now: Date): Promise<boolean> {
  const { id, kind, reference, phone, sender, sent_by, content, outside_window, answers, priority, due_at, needed_by } = outbound;
  const json = (value: Outgoing | null) => (value ? JSON.stringify(value) : null);
  const values = [clinicId, id, kind, reference, phone, sender, sent_by, json(content), json(outside_window), answers, priority, due_at, needed_by, now];
  return (await row(tx, insertStatement, values)) !== undefined;
}

const lockOneStatement = sql<OutboundRow>(`select ${OUTBOUND_COLUMNS} from outbound o where o.clinic_id = $1 and o.id = $2 for update`);
const lockByProviderStatement = sql<OutboundRow>(`select ${OUTBOUND_COLUMNS} from outbound o where o.clinic_id = $1 and o.provider_id = $2 for update`);

export const lockOutbound = (tx: Tx, clinicId: string, id: string) => row(tx, lockOneStatement, [clinicId, id]);
export const lockOutboundByProvider = (tx: Tx, clinicId: string, providerId: string) => row(tx, lockByProviderStatement, [clinicId, providerId]);

// A message that was only postponed was not attempted.
const outcomeStatement = sql(`
  update outbound set state = $3, provider_id = coalesce($4, provider_id), error_code = $5, error = $6, next_attempt_at = coalesce($7, next_attempt_at),
    updated_at = $8, attempts = attempts - $9, lease_until = null, transmitting_at = null
  where clinic_id = $1 and id = $2`);
const messageStatement = sql(`
  update messages set status = $3, error = nullif($4, ''), provider_id = coalesce(provider_id, $5), sent_at = coalesce(sent_at, $6)
  where clinic_id = $1 and id = $2`);

export type OutboundOutcome = { state: OutboundState; providerId?: string; code?: string; error?: string; nextAttemptAt?: Date; postponed?: boolean };

/** The code of a message that the provider has not confirmed: the patient may have received it. */
export const NO_ANSWER = 'no_answer';

// The states that are published in OutboundMessageUpdated, with their names there.
const PUBLISHED_STATUS: Partial<Record<OutboundState, string>> = {
  sent: 'sent',
  delivered: 'delivered',
  read: 'read',
  failed: 'failed',
  dead: 'failed',
  dropped: 'failed',
};

/** The status that the conversation shows. What was given up without a confirmation stays uncertain. */
const messageStatus = (state: OutboundState, code: string) => (state !== 'dead' ? state : code === NO_ANSWER ? 'uncertain' : 'failed');

/** Saves the outcome of a locked message, also in its conversation, and publishes it when the message has a reference. */
export async function recordOutcome(tx: Tx, outbound: OutboundRow, outcome: OutboundOutcome, now: Date): Promise<void> {
  const { state, providerId = null, code = '', error = '', nextAttemptAt = null, postponed = false } = outcome;
  const sentAt = ['sent', 'delivered', 'read'].includes(state) ? now : null;
  const status = PUBLISHED_STATUS[state];
  await Promise.all([
    execute(tx, outcomeStatement, [outbound.clinic_id, outbound.id, state, providerId, code, error, nextAttemptAt, now, postponed ? 1 : 0]),
    execute(tx, messageStatement, [outbound.clinic_id, outbound.id, messageStatus(state, code), error, providerId, sentAt]),
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

const rewriteStatement = sql('update messages set conversation_id = $3, type = $4, content = $5 where clinic_id = $1 and id = $2');

/** Replaces the content of a message that was not sent. */
export async function rewriteMessage(
  tx: TenantTx,
  { id, conversation_id, type, content }: { id: string; conversation_id: string; type: string; content: Content },
): Promise<void> {
  await execute(tx, rewriteStatement, [tx.clinicId, id, conversation_id, type, JSON.stringify(content)]);
}

const cancelStatement = sql(`
  update outbound set state = 'dropped', error_code = 'cancelled', updated_at = $4 where clinic_id = $1 and kind = $2 and reference = $3 and state = 'queued'`);

/** Cancels the message about it if no attempt was made to send it. */
export async function cancelOutbound(tx: Tx, clinicId: string, reference: Reference, now: Date): Promise<void> {
  await execute(tx, cancelStatement, [clinicId, reference.kind, encodeReference(reference), now]);
}

const unconfirmedStatement = sql<OutboundRow>(`
  select ${OUTBOUND_COLUMNS} from outbound o
  where o.state = 'uncertain' and (o.next_attempt_at <= $1 or o.updated_at > $1 + interval '5 seconds') for update skip locked`);
const disconnectedStatement = sql<OutboundRow>(`
  select ${OUTBOUND_COLUMNS} from outbound o
  where o.state = 'queued' and not exists (select from channels c where c.clinic_id = o.clinic_id and c.status <> 'disconnected')
  limit 500 for update skip locked`);
const oldStatement = sql<OutboundRow>(`
  select ${OUTBOUND_COLUMNS} from outbound o join unnest($1::text[], $2::timestamptz[]) as k (kind, before) on k.kind = o.kind
  where o.state = 'queued' and coalesce(o.due_at, o.created_at) < k.before limit 500 for update of o skip locked`);
const clockStatement = sql(
  "update outbound set next_attempt_at = $1, updated_at = $1 where state = 'queued' and updated_at > $1::timestamptz + interval '5 seconds'",
);

/** Messages that the provider has not confirmed in time. */
export const findUnconfirmed = (tx: SystemTx, now: Date) => rows(tx, unconfirmedStatement, [now]);
/** Messages of clinics whose number is disconnected. */
export const findDisconnected = (tx: SystemTx) => rows(tx, disconnectedStatement);
/** Messages that were to be sent before an instant, which depends on their kind. */
export const findOld = (tx: SystemTx, kinds: string[], before: Date[]) => rows(tx, oldStatement, [kinds, before]);
/** After the clock was set back, what was stored before would wait until the clock reaches that time again. Returns the number of messages. */
export const recoverFromClockStep = (tx: SystemTx, now: Date) => execute(tx, clockStatement, [now]);

// As the system: over all clinics.
const queueStatement = sql<QueueRow>(`
  select 'chat-outbound' as queue, count(*) as waiting, extract(epoch from now() - min(coalesce(o.due_at, o.created_at)))::float8 as seconds
  from outbound o join channels c on c.clinic_id = o.clinic_id
  where o.state in ('queued', 'sending') and o.error_code <> 'quiet_hours' and coalesce(o.due_at, o.created_at) <= now()
    and c.status not in ('disconnected', 'failed')`);

export const watchOutbound = (app: { db: Db; log: Log }) => watchQueues(app, ['chat-outbound'], queueStatement);
