// Turns of the bot: messages that wait to be handled. A process claims the oldest turn of a conversation, decides without a transaction, and
// deletes the turn in the transaction that stores the outcome. A claim expires unless its process renews it.
import { type Db, execute, readSystem, rows, type SystemTx, sql } from '@clinic/lib/db/db.ts';
import { hasPassed, isUnclaimed } from '@clinic/lib/db/has-passed.ts';
import { type QueueRow, watchQueues } from '@clinic/lib/jobs/queue-age.ts';
import type { Log } from '@clinic/lib/telemetry/log.ts';
import type { Incoming } from '../bot/respond.ts';

/** A turn with all the stored data that deciding it needs. */
export type TurnRow = Incoming & {
  clinic_id: string;
  conversation_id: string;
  seq: bigint;
  kind: 'answer' | 'record' | 'identify';
  attempts: number;
  claim: string;
  in_messages: boolean;
  /** Whether another turn of the conversation waits for this one. */
  has_later: boolean;
  patient_checked_at: Date | null;
  human_until: Date | number | null;
  bot_enabled: boolean;
};

const CLAIM_SECONDS = 15;
/** The application's clock decides whether a turn is due, the database's clock when a claim ends. A turn that was never attempted is due. */
const IS_DUE = `(t.attempts = 0 or ${hasPassed('t.due_at', '$1::timestamptz', '10 minutes')}) and ${isUnclaimed('t.claimed_until', 'now()')}`;

/**
 * Whether a message of the patient can answer the outbound message `o`, which was sent within the last 14 days: one that quotes it, or was not
 * written before it was sent. The provider gives whole seconds of another clock. A message that was sent after `now` was sent before the clock was
 * set back.
 */
export const canAnswer = (sentAt: string, content: string, now: string) =>
  `o.claimed_at > ${now} - interval '14 days'
  and (o.claimed_at <= ${sentAt} + interval '5 seconds' or o.claimed_at > ${now} or o.provider_id = ${content} ->> 'replyTo')`;

// As the system, because it covers all clinics. Only messages that were sent, or may have been, can have been answered. The first turn of each
// conversation is found with a window instead of an anti-join, because a plan made while no turn waited stays in use when thousands wait.
// A question keeps the place in its conversation that the first attempt to send it gave it.
const claimStatement = sql<TurnRow>(`
  with waiting as (
    select t.seq, t.attempts, t.due_at, t.claimed_until, row_number() over (partition by t.clinic_id, t.conversation_id order by t.seq) as place
    from (select * from turns order by seq limit $4) t
  ), due as (
    select t.seq from turns t where ${IS_DUE} and t.seq = any(array(select t.seq from waiting t where t.place = 1 and ${IS_DUE} order by t.seq limit $2))
    order by t.seq for update skip locked
  ), claimed as (
    update turns t set claim = $3, claimed_until = now() + interval '${CLAIM_SECONDS} seconds' where t.seq = any(array(select d.seq from due d))
    returning t.clinic_id, t.conversation_id, t.seq, t.message_id, t.kind, t.attempts, t.claim, t.in_messages
  )
  select t.*, exists (select from turns l where l.clinic_id = t.clinic_id and l.conversation_id = t.conversation_id and l.seq > t.seq) as has_later,
    m.type, m.content, coalesce(m.sent_at, m.created_at) as sent_at, c.phone, c.patient_id, c.patient_name, c.patient_checked_at, c.profile_name,
    c.human_until, coalesce(h.bot_enabled, false) as bot_enabled, s.state as session, s.updated_at as session_at,
    coalesce((select u.sender = 'user' from messages u
      where u.clinic_id = t.clinic_id and u.conversation_id = t.conversation_id and u.sender in ('bot', 'user') order by u.seq desc limit 1), false) as user_wrote,
    (select coalesce(jsonb_agg(jsonb_build_object('key', b.key, 'language', b.language, 'text', b.text)), '[]') from bot_texts b
      where b.clinic_id = t.clinic_id) as texts,
    (select coalesce(jsonb_agg(jsonb_build_object('kind', a.kind, 'reference', a.reference, 'at', a.at, 'isQuoted', a.is_quoted,
      'isEnded', exists (select from messages q join messages u on u.clinic_id = q.clinic_id and u.conversation_id = q.conversation_id and u.seq > q.seq
        where q.clinic_id = t.clinic_id and q.id = a.id and u.sender = 'user' and (a.attempts <= 1 or u.created_at >= a.at)))
      order by a.is_quoted desc, a.at desc), '[]') from (
      select distinct on (o.kind) o.id, o.attempts, o.kind, o.reference, o.claimed_at as at, coalesce(o.provider_id = m.content->>'replyTo', false) as is_quoted from outbound o
      where o.clinic_id = t.clinic_id and o.phone = c.phone
        and ${canAnswer('coalesce(m.sent_at, m.created_at)', 'm.content', '$1')}
        and o.kind in ('appointment_reminder', 'waitlist', 'recall') and o.reference is not null
        and o.state in ('sending', 'uncertain', 'sent', 'delivered', 'read')
      order by o.kind, is_quoted desc, o.claimed_at desc) a) as asked
  from claimed t
  join messages m on m.clinic_id = t.clinic_id and m.id = t.message_id
  join conversations c on c.clinic_id = t.clinic_id and c.id = t.conversation_id
  left join channels h on h.clinic_id = t.clinic_id
  left join bot_sessions s on s.clinic_id = t.clinic_id and s.phone = c.phone
  order by t.seq`);

/** Claims the first turn of up to `limit` conversations, the oldest first. Considers the `among` oldest turns, or all if null. `claim` is a new UUID. */
export const claimTurns = (db: Db, now: Date, limit: number, claim: string, among: number | null) => readSystem(db, claimStatement, [now, limit, claim, among]);

const renewStatement = sql(`update turns set claimed_until = now() + interval '${CLAIM_SECONDS} seconds' where claim = any($1)`);

export const renewClaims = (db: Db, claims: string[]) => readSystem(db, renewStatement, [claims]);

const postponeStatement = sql(`
  update turns set attempts = attempts + $4, due_at = $3, claim = null, claimed_until = null where seq = $1 and claim = $2`);

/** Ends the claim and postpones the turn to `until`. `failed`: whether this counts as an attempt. */
export const postponeTurn = (tx: SystemTx, { seq, claim }: TurnRow, until: Date, failed = true) =>
  execute(tx, postponeStatement, [seq, claim, until, failed ? 1 : 0]);

/** The data of a claimed turn that may have changed since. */
type HeldTurn = { seq: bigint; human_until: Date | number | null; bot_enabled: boolean };

const lockStatement = sql<HeldTurn>(`
  select t.seq, c.human_until, coalesce(h.bot_enabled, false) as bot_enabled
  from unnest($1::bigint[], $2::uuid[]) as g (seq, claim)
  join turns t on t.seq = g.seq and t.claim = g.claim
  join conversations c on c.clinic_id = t.clinic_id and c.id = t.conversation_id
  left join channels h on h.clinic_id = t.clinic_id
  order by c.clinic_id, c.id for no key update of t, c`);

/** Locks turns and their conversations, in the order in which conversations are always locked. Turns that another process has claimed are omitted. */
export const lockTurns = (tx: SystemTx, turns: TurnRow[]) => rows(tx, lockStatement, [turns.map(({ seq }) => seq), turns.map(({ claim }) => claim)]);

const deleteStatement = sql('delete from turns where seq = any($1)');
const handledStatement = sql(`
  update messages m set handled_at = $3 from unnest($1::uuid[], $2::uuid[]) as n (clinic_id, id) where m.clinic_id = n.clinic_id and m.id = n.id`);

/** Deletes handled turns. */
export async function deleteTurns(tx: SystemTx, turns: TurnRow[], now: Date): Promise<void> {
  await execute(tx, deleteStatement, [turns.map(({ seq }) => seq)]);
  const old = turns.filter(({ in_messages }) => in_messages);
  if (old.length > 0) await execute(tx, handledStatement, [old.map(({ clinic_id }) => clinic_id), old.map(({ message_id }) => message_id), now]);
}

const queueStatement = sql<QueueRow>(`
  select 'chat-turns' as queue, count(*) as waiting, extract(epoch from now() - min(created_at))::float8 as seconds from turns`);

export const watchTurns = (app: { db: Db; log: Log }) => watchQueues(app, ['chat-turns'], queueStatement);
