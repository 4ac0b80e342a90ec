// Outgoing messages and their state.
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { type Db, execute, row, rows, type SystemTx, sql, type Tx } from '@clinic/lib/db/db.ts';
import { emitAll } from '@clinic/lib/events/outbox.ts';
import { enqueue } from '@clinic/lib/jobs/jobs.ts';
import { type QueueRow, watchQueues } from '@clinic/lib/jobs/queue-age.ts';
import type { Log } from '@clinic/lib/telemetry/log.ts';
import { OutboundMessageUpdatedSchema } from '@clinic/proto/events/v1/messaging_pb.js';
import type { Account } from '../channel/channels.sql.ts';
import type { OutboundState } from './delivery-state-rules.ts';
import { describeReason } from './message-kinds-rules.ts';
import { encodeReference, type Reference } from './reference-rules.ts';
import { RECALL_PAUSE_MS } from './refusal-rules.ts';

export type OutboundRow = {
  clinic_id: string;
  id: string;
  kind: string;
  reference: string | null;
  phone: string | null;
  sender: 'bot' | 'user' | 'system';
  sent_by: string | null;
  state: OutboundState;
  attempts: number;
  /** Attempts that count toward MAX_ATTEMPTS. */
  failures: number;
  claimed_at: Date;
  provider_id: string | null;
  error_code: string;
  error: string;
  created_at: Date;
  /** When the first attempt was due. */
  due_at: Date;
  /** When the patient needs the message; null if it may wait. */
  needed_by: Date | null;
  /** W3C trace context of the request that stored it; null when tracing is off. */
  trace: string | null;
};

export const OUTBOUND_COLUMNS = `o.clinic_id, o.id, o.kind, o.reference, o.phone, o.sender, o.sent_by, o.state, o.attempts, o.failures, o.claimed_at,
  o.provider_id, o.error_code, o.error, o.created_at, coalesce(o.due_at, o.created_at) as due_at, o.needed_by, o.trace`;

/** The messages that are yet to be sent, and dead letters. Triggers maintain `sends`. */
export const TO_SEND = 'from sends s join outbound o using (clinic_id, id)';

type Stored = 'id' | 'kind' | 'reference' | 'phone' | 'sender' | 'sent_by' | 'due_at' | 'needed_by';
export type NewOutbound = Pick<OutboundRow, Stored> & { answers: string | null; priority: number };

const insertStatement = sql<{ id: string }>(`
  insert into outbound (clinic_id, id, kind, reference, phone, sender, sent_by, answers, priority, resend, next_attempt_at, due_at, needed_by, created_at, updated_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, false, $10, $10, $11, $12, $12)
  on conflict do nothing returning id`);

/** False when a message with this reference, or an answer to this message, exists. */
export async function insertOutbound(tx: Tx, clinicId: string, outbound: NewOutbound, now: Date): Promise<boolean> {
  const { id, kind, reference, phone, sender, sent_by, answers, priority, due_at, needed_by } = outbound;
  tx.wrote.add('outbound');
  const values = [clinicId, id, kind, reference, phone, sender, sent_by, answers, priority, due_at, needed_by, now];
  return (await row(tx, insertStatement, values)) !== undefined;
}

const lockSentStatement = sql<OutboundRow>(`
  with given as (select * from unnest($1::uuid[], $2::uuid[], $3::text[]) as n (clinic_id, id, provider_id))
  select ${OUTBOUND_COLUMNS} from outbound o
  where (o.clinic_id, o.id) in (
    select clinic_id, id from given
    union select m.clinic_id, m.id from messages m join given n on n.clinic_id = m.clinic_id and n.provider_id = m.provider_id where n.id is null)
  order by o.clinic_id, o.id for update`);

/** Locks the messages with these ids. The provider's id is used where the id of this service is unknown. */
export const lockSent = (tx: Tx, sent: SentMessage[]) => rows(tx, lockSentStatement, idsOf(sent));

export type SentMessage = { clinicId: string; id: string | null; providerId: string };
const idsOf = (sent: SentMessage[]) => [sent.map(({ clinicId }) => clinicId), sent.map(({ id }) => id), sent.map(({ providerId }) => providerId)];

// Postponing a message is not an attempt, so its count is reduced by one.
const outcomesStatement = sql(`
  update outbound o set state = n.state, provider_id = coalesce(n.provider_id, o.provider_id), error_code = n.error_code, error = n.error,
    next_attempt_at = coalesce(n.next_attempt_at, o.next_attempt_at), updated_at = $10, attempts = o.attempts - n.postponed,
    failures = o.failures + n.counted, lease_until = null, transmitting_at = null
  from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::timestamptz[], $8::int[], $9::int[])
    as n (clinic_id, id, state, provider_id, error_code, error, next_attempt_at, postponed, counted)
  where o.clinic_id = n.clinic_id and o.id = n.id`);
const messagesStatement = sql(`
  update messages m set status = n.status, error = nullif(n.error, ''), provider_id = coalesce(n.provider_id, m.provider_id),
    sent_at = coalesce(m.sent_at, case when n.status in ('sent', 'delivered', 'read') then $6::timestamptz end)
  from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[]) as n (clinic_id, id, status, error, provider_id)
  where m.clinic_id = n.clinic_id and m.id = n.id`);
// Channels are locked in the order of their clinics. The pause is read before each transmission of a recall message, so it also holds messages that are
// stored later.
const pauseStatement = sql(`
  update channels set recalls_paused_until = $2
  where clinic_id = any(array(select c.clinic_id from channels c where c.clinic_id = any($1::uuid[]) order by c.clinic_id for no key update))`);

export type OutboundOutcome = {
  state: OutboundState;
  providerId?: string;
  code?: string;
  error?: string;
  nextAttemptAt?: Date;
  postponed?: boolean;
  /** Whether the attempt counts toward MAX_ATTEMPTS. */
  isCounted?: boolean;
  /** Whether the recall messages of the clinic wait, for RECALL_PAUSE_MS. */
  pausesRecalls?: boolean;
  /** Whether the recipient has stopped promotional messages at the provider. */
  isOptOut?: boolean;
  /** The account that the provider has refused; its channel must be stopped. */
  refused?: Account;
};

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

/** The status that the staff see. A message that was given up without a confirmation stays uncertain. */
export const toStatus = (state: string, code: string) => (state !== 'dead' ? state : code === NO_ANSWER ? 'uncertain' : 'failed');

export const RECORD_OPT_OUT = 'record-opt-out';

export type Ended = { outbound: OutboundRow; outcome: OutboundOutcome };

/** Saves the outcomes of locked messages, also in their conversations, and publishes those of messages with a reference. */
export async function recordOutcomes(tx: Tx, ended: Ended[], now: Date): Promise<void> {
  if (ended.length === 0) return;
  const [clinicIds, ids] = [ended.map(({ outbound }) => outbound.clinic_id), ended.map(({ outbound }) => outbound.id)];
  const column = <V>(of: (outcome: OutboundOutcome) => V) => ended.map(({ outcome }) => of(outcome));
  const [errors, providerIds] = [column(({ error = '' }) => error), column(({ providerId = null }) => providerId)];
  const codes = column(({ code = '' }) => code);
  const nextAttempts = column(({ nextAttemptAt = null }) => nextAttemptAt);
  const postponed = column((outcome) => (outcome.postponed ? 1 : 0));
  const counted = column((outcome) => (outcome.isCounted ? 1 : 0));
  const pausing = ended.filter(({ outcome }) => outcome.pausesRecalls).map(({ outbound }) => outbound.clinic_id);
  const events = ended.flatMap((one) => toEvent(one, now));
  const stopped = ended.filter(({ outcome }) => outcome.isOptOut);
  await Promise.all([
    execute(tx, outcomesStatement, [clinicIds, ids, column(({ state }) => state), providerIds, codes, errors, nextAttempts, postponed, counted, now]),
    execute(tx, messagesStatement, [clinicIds, ids, column(({ state, code = '' }) => toStatus(state, code)), errors, providerIds, now]),
    emitAll(tx, OutboundMessageUpdatedSchema, events),
    pausing.length > 0 && execute(tx, pauseStatement, [pausing, new Date(now.getTime() + RECALL_PAUSE_MS)]),
    ...stopped.map(({ outbound: { clinic_id: clinicId, id } }) => enqueue(tx, RECORD_OPT_OUT, { clinicId, id })),
  ]);
}

function toEvent({ outbound: { clinic_id, kind, reference }, outcome: { state, code } }: Ended, now: Date) {
  const status = PUBLISHED_STATUS[state];
  if (!status || reference === null) return [];
  return [{ clinicId: clinic_id, init: { reference, kind, status, at: timestampFromDate(now), failure: status === 'failed' ? code || state : '' } }];
}

// The order in which the status of a message advances.
const rankOf = (status: string) => `array_position(array['queued', 'uncertain', 'sent', 'failed', 'delivered', 'read'], ${status})`;
// One update changes a row only once, so the furthest of its statuses is selected. With `or` instead of `union all`, PostgreSQL would read all
// messages of the clinic.
const pastStatement = sql(`
  update messages m set status = n.status, error = nullif(n.error, '') from (
    select distinct on (f.clinic_id, f.id) f.clinic_id, f.id, n.status, n.error
    from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[]) with ordinality as n (clinic_id, id, provider_id, status, error, place)
    cross join lateral (
      select m.* from messages m where m.clinic_id = n.clinic_id and m.id = n.id
      union all select m.* from messages m where m.clinic_id = n.clinic_id and m.provider_id = n.provider_id) f
    where f.direction = 'out' and (n.status in ('delivered', 'read') or n.provider_id = coalesce(f.provider_id, n.provider_id))
    order by f.clinic_id, f.id, ${rankOf('n.status')} desc, n.place
  ) n
  where m.clinic_id = n.clinic_id and m.id = n.id and ${rankOf('m.status')} < ${rankOf('n.status')}`);

/** Advances messages that are no longer in `outbound`. Of earlier attempts only delivered and read count. */
export async function advancePastMessages(tx: Tx, advanced: (SentMessage & { status: string; error: string })[]): Promise<void> {
  if (advanced.length > 0) await execute(tx, pastStatement, [...idsOf(advanced), advanced.map(({ status }) => status), advanced.map(({ error }) => error)]);
}

const purgeStatement = sql(`
  delete from outbound where ctid = any(array(
    select ctid from outbound where state not in ('queued', 'sending', 'uncertain') and updated_at < case when reference is null and state <> 'dead' then $1::timestamptz else $2::timestamptz end limit $3))`);

/**
 * Deletes up to `limit` messages that have ended: those that have no reference and are not dead letters, if they ended before `before`; all
 * others, if they ended before `referencesBefore`. Returns their number.
 */
export const purgeEnded = (tx: SystemTx, before: Date, referencesBefore: Date, limit: number) => execute(tx, purgeStatement, [before, referencesBefore, limit]);

const lockQueuedStatement = sql<OutboundRow>(`
  select ${OUTBOUND_COLUMNS} from outbound o where o.clinic_id = $1 and o.kind = $2 and o.reference = $3 and o.state = 'queued' for update`);

/** Drops the message with this reference, unless it is already being sent. */
export async function cancelOutbound(tx: Tx, clinicId: string, reference: Reference, now: Date): Promise<void> {
  const queued = await row(tx, lockQueuedStatement, [clinicId, reference.kind, encodeReference(reference)]);
  const outcome: OutboundOutcome = { state: 'dropped', code: 'cancelled', error: describeReason('cancelled') };
  if (queued) await recordOutcomes(tx, [{ outbound: queued, outcome }], now);
}

const unconfirmedStatement = sql<OutboundRow>(`
  select ${OUTBOUND_COLUMNS} ${TO_SEND}
  where o.state = 'uncertain' and (o.next_attempt_at <= $1 or o.updated_at > $1 + interval '5 seconds') for update of o skip locked`);
const disconnectedStatement = sql<OutboundRow>(`
  select ${OUTBOUND_COLUMNS} ${TO_SEND}
  where o.state = 'queued' and not exists (select from channels c where c.clinic_id = o.clinic_id and c.status <> 'disconnected')
  limit 500 for update of o skip locked`);
const oldStatement = sql<OutboundRow>(`
  select ${OUTBOUND_COLUMNS} ${TO_SEND} join unnest($1::text[], $2::timestamptz[]) as k (kind, before) on k.kind = o.kind
  where o.state = 'queued' and coalesce(o.due_at, o.created_at) < k.before limit 500 for update of o skip locked`);
const clockStatement = sql(`
  update outbound o set next_attempt_at = $1, updated_at = $1 from sends s
  where o.clinic_id = s.clinic_id and o.id = s.id and o.state = 'queued' and o.updated_at > $1::timestamptz + interval '5 seconds'`);

/** Messages that the provider has not confirmed in time. */
export const findUnconfirmed = (tx: SystemTx, now: Date) => rows(tx, unconfirmedStatement, [now]);
/** Messages of clinics whose number is disconnected. */
export const findDisconnected = (tx: SystemTx) => rows(tx, disconnectedStatement);
/** Messages whose first attempt was due before an instant that depends on their kind. */
export const findOld = (tx: SystemTx, kinds: string[], before: Date[]) => rows(tx, oldStatement, [kinds, before]);
/** Makes messages due that were stored before the clock was set back, and would otherwise wait until it reaches that time again. Returns their number. */
export const recoverFromClockStep = (tx: SystemTx, now: Date) => execute(tx, clockStatement, [now]);

// As the system, because it covers all clinics. Messages that wait until the channel of their clinic is active do not count as late.
const queueStatement = sql<QueueRow>(`
  select 'chat-outbound' as queue, count(*) as waiting, extract(epoch from now() - min(s.not_before))::float8 as seconds
  from sends s join channels c on c.clinic_id = s.clinic_id
  where s.not_before <= now() and c.status = 'active' and c.phone_number_id is not null`);

export const watchOutbound = (app: { db: Db; log: Log }) => watchQueues(app, ['chat-outbound'], queueStatement);
