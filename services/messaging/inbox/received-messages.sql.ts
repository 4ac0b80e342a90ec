// Stores a batch of received messages of several clinics.
import { execute, rows, type SystemTx, sql } from '@clinic/lib/db/db.ts';
import { searchName } from '@clinic/lib/formats/search-name.ts';
import type { ChangedConversation } from '../conversations/conversations.sql.ts';
import { modeOf, takeoverEnd, windowEnd } from '../conversations/takeover-rules.ts';
import { canAnswer } from './turns.sql.ts';

export type NewMessage = {
  clinic_id: string;
  /** UUID of the message. */
  id: string;
  /** UUID for the conversation if it does not exist yet. */
  new_conversation_id: string;
  phone: string;
  profile_name: string | null;
  /** Whether only the staff can reply, because the user hides the phone. */
  human: boolean;
  echo: boolean;
  provider_id: string;
  type: string;
  content: string;
  preview: string;
  answerable: boolean;
  /** Whether the message is a choice that takes effect even while a user has taken over the conversation (recorded-choices.ts). */
  is_recorded: boolean;
  /** Whether the patient reports an emergency. */
  is_emergency: boolean;
  sent_at: Date;
};

const ensureConversationsStatement = sql(`
  insert into conversations (clinic_id, id, phone, human_until)
  select distinct on (clinic_id, phone) clinic_id, id, phone, case when human then 'infinity'::timestamptz end
  from unnest($1::uuid[], $2::uuid[], $3::text[], $4::bool[]) as n (clinic_id, id, phone, human) order by clinic_id, phone, id
  on conflict on constraint conversations_phone_unique do nothing`);

// Conversations are always locked in this order. Because of the lock, a takeover happens either before or after the batch.
const lockConversationsStatement = sql<{ id: string; human_until: Date | number | null }>(`
  select c.id, c.human_until from conversations c join (select distinct * from unnest($1::uuid[], $2::text[]) as n (clinic_id, phone)) n
    on c.clinic_id = n.clinic_id and c.phone = n.phone
  order by c.clinic_id, c.id for no key update of c`);

type InsertedRow = { id: string; conversation_id: string; kind: 'answer' | 'record' | 'identify' | null };

// The order of the arrays is the order in the conversation. The bot replies unless it is off or a user has taken over. Otherwise recorded
// choices and replies to a recall still take effect, and the patient of a new phone is looked up.
const insertMessagesStatement = sql<InsertedRow>(`
  with given as (
    select n.*, c.id as conversation_id,
      case when n.answerable and h.bot_enabled and (c.human_until is null or c.human_until <= $10) then 'answer'
        when n.answerable and (n.is_recorded or exists (
          select from outbound o where o.clinic_id = n.clinic_id and o.phone = n.phone and o.kind = 'recall'
            and ${canAnswer('n.sent_at', 'n.content', '$10')})) then 'record'
        when c.patient_id is null and c.patient_checked_at is null and c.phone like '+%' then 'identify' end as kind
    from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::jsonb[], $7::bool[], $8::bool[], $9::timestamptz[], $11::bool[])
      with ordinality as n (clinic_id, id, phone, provider_id, type, content, echo, answerable, sent_at, is_recorded, place)
    join conversations c on c.clinic_id = n.clinic_id and c.phone = n.phone
    join channels h on h.clinic_id = n.clinic_id
  ), stored as (
    insert into messages (clinic_id, id, conversation_id, direction, sender, type, content, provider_id, status, handled_at, sent_at, created_at)
    select clinic_id, id, conversation_id, case when echo then 'out' else 'in' end, case when echo then 'user' else 'patient' end, type, content, provider_id,
      case when echo then 'sent' else 'received' end, $10, sent_at, $10
    from given order by place
    on conflict on constraint messages_provider_id_unique do nothing
    returning clinic_id, id, conversation_id, seq
  ), waiting as (
    insert into turns (clinic_id, conversation_id, seq, message_id, kind, due_at)
    select s.clinic_id, s.conversation_id, s.seq, s.id, g.kind, $10 from stored s join given g on g.clinic_id = s.clinic_id and g.id = s.id where g.kind is not null
  )
  select s.id, s.conversation_id, g.kind from stored s join given g on g.clinic_id = s.clinic_id and g.id = s.id`);

/** Types that the provider reports about a patient, without a message written by the patient. */
const NOTICES = new Set(['system', 'preference']);

// A message of the patient opens the 24-hour window and extends a takeover; an echo, which a user wrote on another device, takes over. While a
// user has taken over, the bot does not hand over an emergency, which is therefore recorded here.
// Conversations without a patient are searched by the profile name, which is the name that they show.
const updateConversationsStatement = sql<ChangedConversation>(`
  update conversations c set
    status = 'open',
    unread_count = c.unread_count + n.unread,
    last_message = n.preview,
    last_message_at = greatest(c.last_message_at, $6::timestamptz),
    profile_name = coalesce(n.profile_name, c.profile_name),
    search_name = case when c.patient_id is null then coalesce(n.search_name, c.search_name) else c.search_name end,
    window_expires_at = greatest(c.window_expires_at, n.window_expires_at),
    human_until = case when n.echoes or c.human_until > $6 then greatest(c.human_until, $7::timestamptz) else c.human_until end,
    handover_reason = case when n.has_emergency and c.human_until > $6 then 'emergency' else c.handover_reason end,
    revision = c.revision + 1
  from (
    select t.clinic_id, t.conversation_id, count(*) filter (where not t.echo)::int as unread, bool_or(t.echo) as echoes, bool_or(t.emergency) as has_emergency,
      (array_agg(t.preview order by t.place desc))[1] as preview, (array_agg(t.profile_name order by t.place desc) filter (where t.profile_name is not null))[1] as profile_name,
      (array_agg(t.search_name order by t.place desc) filter (where t.profile_name is not null))[1] as search_name, max(t.window_expires_at) as window_expires_at
    from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::timestamptz[], $8::bool[], $9::text[], $10::bool[])
      with ordinality as t (clinic_id, conversation_id, preview, profile_name, window_expires_at, echo, search_name, emergency, place)
    group by t.clinic_id, t.conversation_id
  ) n
  where c.clinic_id = n.clinic_id and c.id = n.conversation_id
  returning c.clinic_id, c.id, c.patient_id, c.human_until, c.handover_reason, c.unread_count, c.revision`);

type ReceivedChange = ChangedConversation & { change: 'message' | 'takeover' };

/** `stored`: the messages that are new. */
type Inserted = { stored: NewMessage[]; changes: ReceivedChange[] };

/**
 * Returns the conversations with new messages, except those that are published later with the outcome of a turn. An emergency in a conversation
 * that a user has taken over is published like a handover. A message that is already stored changes nothing.
 */
export async function insertReceivedMessages(tx: SystemTx, messages: NewMessage[], now: Date): Promise<Inserted> {
  const column = <K extends keyof NewMessage>(key: K, of = messages) => of.map((message) => message[key]);
  const [, locked, inserted] = await Promise.all([
    execute(tx, ensureConversationsStatement, [column('clinic_id'), column('new_conversation_id'), column('phone'), column('human')]),
    rows(tx, lockConversationsStatement, [column('clinic_id'), column('phone')]),
    rows(tx, insertMessagesStatement, [
      column('clinic_id'),
      column('id'),
      column('phone'),
      column('provider_id'),
      column('type'),
      column('content'),
      column('echo'),
      column('answerable'),
      column('sent_at'),
      now,
      column('is_recorded'),
    ]),
  ]);
  const stored = new Map(inserted.map((one) => [one.id, one]));
  const newMessages = messages.filter(({ id }) => stored.has(id));
  if (newMessages.length === 0) return { stored: [], changes: [] };
  if (inserted.some(({ kind }) => kind)) tx.wrote.add('turns');
  const changed = await rows(tx, updateConversationsStatement, [
    column('clinic_id', newMessages),
    newMessages.map(({ id }) => stored.get(id)?.conversation_id),
    column('preview', newMessages),
    column('profile_name', newMessages),
    newMessages.map(({ echo, type, sent_at }) => (echo || NOTICES.has(type) ? null : windowEnd(sent_at))),
    now,
    takeoverEnd(now),
    column('echo', newMessages),
    newMessages.map(({ profile_name }) => searchName(profile_name ?? '')),
    column('is_emergency', newMessages),
  ]);
  const answering = new Set(inserted.filter(({ kind }) => kind === 'answer').map(({ conversation_id }) => conversation_id));
  const conversationsOf = (matching: NewMessage[]) => new Set(matching.map(({ id }) => stored.get(id)?.conversation_id));
  const [echoed, urgent] = [conversationsOf(newMessages.filter(({ echo }) => echo)), conversationsOf(newMessages.filter((one) => one.is_emergency))];
  const takenOver = new Set(locked.flatMap(({ id, human_until }) => ((modeOf(human_until, now) === 'bot' ? echoed : urgent).has(id) ? id : [])));
  const published = changed.filter(({ id }) => !answering.has(id));
  return { stored: newMessages, changes: published.map((one) => ({ ...one, change: takenOver.has(one.id) ? 'takeover' : 'message' })) };
}
