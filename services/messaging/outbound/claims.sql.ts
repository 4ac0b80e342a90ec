// Claims decide which process sends a message. A claim has a lease, which the sender renews. One replica at a time claims messages, so that
// the limits of a number are respected. Leases are only compared with the clock of the database.
import { type Db, execute, readSystem, rows, type SystemTx, sql } from '@clinic/lib/db/db.ts';
import { hasPassed } from '@clinic/lib/db/has-passed.ts';
import { TAKEOVER_MS } from '../conversations/takeover-rules.ts';
import { OUTBOUND_COLUMNS, type OutboundRow, TO_SEND } from './outbound.sql.ts';
import type { Outgoing } from './outgoing-content-rules.ts';

/** The provider's limit for one number. */
const MAX_PER_SECOND = 80;
/** The provider's limit for one phone: 45 messages at once, then one every 6 seconds. */
const PAIR_BURST = 45;
const PAIR_SECONDS = 270;
/** How many messages a claim considers, so that its cost does not depend on how many wait. */
const CANDIDATES = 500;

const IS_RECENT = "at > $1::timestamptz - interval '1 second' and at <= $1::timestamptz";

/** `has_later`: another message to the phone waits for this one. */
export type ClaimedRow = OutboundRow & { has_later: boolean };

const LEASE_SECONDS = 6;
const NEW_LEASE = `now() + interval '${LEASE_SECONDS} seconds'`;
const LEASE_ENDED = hasPassed('o.lease_until', 'now()', '1 minute'); // another transaction may have begun later

// With sequential scans off, a plan that was made while nothing waited still reads little when thousands of messages wait. The triggers of
// migration 0017 read `app.reads_messages`: this process reads content from `messages`.
const lockStatement = sql<{ scans: string; reads: string }>(`
  select set_config('enable_seqscan', 'off', true) as scans, set_config('app.reads_messages', 'on', true) as reads
  from pg_advisory_xact_lock(hashtext('messaging.outbound'))`);
// Messages to one phone are sent one after another, the most urgent first: one that is being sent, or waits for the provider's confirmation,
// blocks all others. A message that waits for another attempt blocks those that are less urgent, or later and as urgent, and so does one that
// was due when it was stored, even after the clock was set back; one that waits for the end of the quiet hours, or of a pause of recalls, does
// not. Nothing is sent while a number is being registered, because a refusal would end the registration. Claims in the future were made before the
// clock was set back. `offset 0` forces a lookup by key for each row.
const claimStatement = sql<ClaimedRow>(`
  with candidates as (
    select o.row, s.clinic_id, s.phone, s.priority, s.seq from sends s
    join lateral (select c.ctid as row from channels c where c.clinic_id = s.clinic_id and c.status = 'active'
      and c.phone_number_id is not null and c.access_token_sealed is not null offset 0) c on true
    join lateral (select o.ctid as row from outbound o where o.clinic_id = s.clinic_id and o.id = s.id and o.state = 'queued' offset 0) o on true
    where s.not_before <= $1 and not exists (
      select from sends e join lateral (select from outbound p where p.clinic_id = e.clinic_id and p.id = e.id and (
        p.state in ('sending', 'uncertain') or p.state = 'queued' and (e.priority, e.seq) < (s.priority, s.seq) and (
          p.next_attempt_at <= $1 or p.next_attempt_at <= p.created_at
          or p.attempts > 0 and p.error_code not in ('quiet_hours', 'recalls_paused'))) offset 0) p on true
      where e.clinic_id = s.clinic_id and e.phone = s.phone and e.seq <> s.seq offset 0)
    order by s.priority, s.seq limit ${CANDIDATES}
  ), ready as (
    select c.*, row_number() over (partition by c.clinic_id order by c.priority, c.seq) as place from candidates c
    where (select count(*) from (
        select p.claimed_at from outbound p where p.clinic_id = c.clinic_id and p.phone = c.phone and p.claimed_at is not null order by p.seq desc limit ${PAIR_BURST}
      ) p where p.claimed_at > $1 - interval '${PAIR_SECONDS} seconds' and p.claimed_at <= $1) < ${PAIR_BURST}
  ), allowed as (
    select r.row, r.clinic_id from ready r
    where r.place <= ${MAX_PER_SECOND} - (select count(*) from recent_claims n, unnest(n.claimed_at) at where n.clinic_id = r.clinic_id and ${IS_RECENT})
    order by r.place limit $2
  ), counted as (
    insert into recent_claims as n (clinic_id, claimed_at) select a.clinic_id, array_agg($1::timestamptz) from allowed a group by a.clinic_id
    on conflict (clinic_id) do update set claimed_at = array(select at from unnest(n.claimed_at) at where ${IS_RECENT}) || excluded.claimed_at
  )
  update outbound o set state = 'sending', attempts = o.attempts + 1, claimed_at = $1, lease_until = ${NEW_LEASE}, transmitting_at = null, updated_at = $1
  where o.ctid = any(array(select a.row from allowed a)) and o.state = 'queued'
  returning ${OUTBOUND_COLUMNS}, exists (select from sends l where l.clinic_id = o.clinic_id and l.phone = o.phone and l.seq <> o.seq and l.not_before < 'infinity') as has_later`);

/** Claims up to `limit` messages that are due, within the provider's limits for number and phone. */
export async function claimOutbound(tx: SystemTx, now: Date, limit: number): Promise<ClaimedRow[]> {
  const [, claimed] = await Promise.all([rows(tx, lockStatement), rows(tx, claimStatement, [now, limit])]);
  return claimed;
}

// Skips rows that are locked: they are about to change, and would keep the other leases from being renewed.
const renewStatement = sql(`
  update outbound set lease_until = ${NEW_LEASE} where ctid = any(array(
    select o.ctid from unnest($1::uuid[], $2::uuid[], $3::timestamptz[]) as c (clinic_id, id, claimed_at)
    join outbound o on o.clinic_id = c.clinic_id and o.id = c.id and o.claimed_at = c.claimed_at and o.state = 'sending'
    for update of o skip locked))`);

const columnsOf = (claims: OutboundRow[]) => [claims.map((one) => one.clinic_id), claims.map(({ id }) => id), claims.map((one) => one.claimed_at)];

/** Renews the leases of the claims that this sender is working on. */
export const renewLeases = (tx: SystemTx, claims: OutboundRow[]) => execute(tx, renewStatement, columnsOf(claims));

/** What the sender needs to know about the channel and the conversation. `content` is null for a message that is prepared for each attempt. */
export type Recipient = {
  /** Id of the message. */
  id: string;
  clinic_id: string;
  phone_number_id: string | null;
  access_token_sealed: Buffer | null;
  recalls_paused_until: Date | null;
  window_expires_at: Date | null;
  content: Outgoing | null;
  /** Whether a user or an integration key has taken over the conversation since the message was stored. */
  is_taken_over: boolean;
  patient_id: string | null;
  patient_checked_at: Date | null;
};

const recipientStatement = sql<Recipient>(`
  select n.id, h.clinic_id, h.phone_number_id, h.access_token_sealed, h.recalls_paused_until, c.window_expires_at, c.patient_id, c.patient_checked_at, w.content,
    coalesce(c.human_until > $5 and c.human_until > n.created_at + interval '${TAKEOVER_MS} milliseconds' and (c.assigned_user_id is not null or c.handover_reason is null or exists (
      select from messages m where m.clinic_id = c.clinic_id and m.conversation_id = c.id and m.sender = 'user' and m.created_at > n.created_at)), false) as is_taken_over
  from unnest($1::uuid[], $2::uuid[], $3::text[], $4::timestamptz[]) as n (clinic_id, id, phone, created_at)
  join channels h on h.clinic_id = n.clinic_id
  left join conversations c on c.clinic_id = n.clinic_id and c.phone = n.phone
  left join messages w on w.clinic_id = n.clinic_id and w.id = n.id`);

export type Addressed = { claimed: OutboundRow; phone: string };

/** In the order of the messages; undefined where the clinic has no channel. Runs as the system, because the messages belong to several clinics. */
export async function findRecipients(db: Db, messages: Addressed[], now: Date): Promise<(Recipient | undefined)[]> {
  const column = <V>(of: (one: Addressed) => V) => messages.map(of);
  const ids = [column(({ claimed }) => claimed.clinic_id), column(({ claimed }) => claimed.id)];
  const values = [...ids, column(({ phone }) => phone), column(({ claimed }) => claimed.created_at), now];
  const found = new Map((await readSystem(db, recipientStatement, values)).map((one) => [one.id, one]));
  return messages.map(({ claimed }) => found.get(claimed.id));
}

type Claim = { id: string; claimed_at: Date };
/** A message may have been claimed again since. */
const keyOf = ({ id, claimed_at }: Claim) => `${id} ${claimed_at.getTime()}`;

const TRANSMITTING = `transmitting_at = now(), lease_until = ${NEW_LEASE}`;
const transmitStatement = sql<Claim>(`
  update outbound o set ${TRANSMITTING} from unnest($1::uuid[], $2::uuid[], $3::timestamptz[]) as n (clinic_id, id, claimed_at)
  where o.clinic_id = n.clinic_id and o.id = n.id and o.claimed_at = n.claimed_at and o.state = 'sending' and o.transmitting_at is null
  returning o.id, o.claimed_at`);
// A message whose phone was not known when it was claimed waits if another one to that phone is on its way. The lock makes one of two such messages
// see the other. Claims do not take it, since each would wait for all transactions that store a phone: a message to the same phone that is claimed in
// the same moment is not seen.
const lockPhonesStatement = sql(`
  select pg_advisory_xact_lock(hashtext('messaging.outbound'), key)
  from (select distinct hashtext(phone) as key from unnest($1::text[]) as p (phone) order by 1) locks`);
const transmitPreparedStatement = sql<Claim & { begun: boolean }>(`
  update outbound o set phone = n.phone, lease_until = ${NEW_LEASE},
    transmitting_at = case when n.place = 1 and (o.phone is not distinct from n.phone or not exists (
      select from sends s join outbound p using (clinic_id, id)
      where s.clinic_id = n.clinic_id and s.phone = n.phone and s.id <> n.id and p.state in ('sending', 'uncertain'))) then now() end
  from (
    select *, row_number() over (partition by clinic_id, phone) as place
    from unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::text[]) as g (clinic_id, id, claimed_at, phone)
  ) n
  where o.clinic_id = n.clinic_id and o.id = n.id and o.claimed_at = n.claimed_at and o.state = 'sending' and o.transmitting_at is null
  returning o.id, o.claimed_at, o.transmitting_at is not null as begun`);

/**
 * Records that messages are about to be transmitted. False where the claim is no longer valid, because another sender has the message. Runs as
 * the system, because the messages belong to several clinics.
 */
export async function beginTransmissions(db: Db, claims: OutboundRow[]): Promise<boolean[]> {
  const begun = new Set((await readSystem(db, transmitStatement, columnsOf(claims))).map(keyOf));
  return claims.map((one) => begun.has(keyOf(one)));
}

/** The same for messages that were prepared for this attempt. Stores their phones. */
export async function beginPreparedTransmissions(tx: SystemTx, messages: Addressed[]): Promise<(boolean | 'waits')[]> {
  const [claims, phones] = [messages.map(({ claimed }) => claimed), messages.map(({ phone }) => phone)];
  const [, , updated] = await Promise.all([
    rows(tx, lockPhonesStatement, [phones]),
    lockClaimed(tx, claims),
    rows(tx, transmitPreparedStatement, [...columnsOf(claims), phones]),
  ]);
  const begun = new Map(updated.map((one) => [keyOf(one), one.begun || ('waits' as const)]));
  return claims.map((one) => begun.get(keyOf(one)) ?? false);
}

const lockClaimedStatement = sql<OutboundRow>(`
  select ${OUTBOUND_COLUMNS} from unnest($1::uuid[], $2::uuid[]) as n (clinic_id, id) join outbound o on o.clinic_id = n.clinic_id and o.id = n.id
  order by o.clinic_id, o.id for update of o`);

/** Locks and returns the current rows of the messages, whichever sender has claimed them. */
export const lockClaimed = (tx: SystemTx, claims: OutboundRow[]) =>
  rows(tx, lockClaimedStatement, [claims.map((one) => one.clinic_id), claims.map(({ id }) => id)]);

// A message without a lease was claimed by an earlier release, which does not record transmissions.
const abandonedStatement = sql<OutboundRow & { may_be_received: boolean }>(`
  select ${OUTBOUND_COLUMNS}, o.transmitting_at is not null or o.lease_until is null as may_be_received ${TO_SEND}
  where o.state = 'sending' and (${LEASE_ENDED} or (o.lease_until is null and o.claimed_at < $1)) for update of o skip locked`);

/** Messages whose sender has died. `may_be_received`: the provider may have received the message. `before` applies to claims of an earlier release. */
export const findAbandoned = (tx: SystemTx, before: Date) => rows(tx, abandonedStatement, [before]);
