// Stores a batch of received messages of any clinics in three statements.
import { execute, rows, type SystemTx, sql } from '@clinic/lib/db/db.ts';

export type NewMessage = {
  clinic_id: string;
  /** UUID of the message. */
  id: string;
  /** UUID of the conversation, if it does not exist yet. */
  new_conversation_id: string;
  phone: string;
  profile_name: string | null;
  /** Whether only the staff can answer: the user hides the phone. */
  human: boolean;
  echo: boolean;
  provider_id: string;
  type: string;
  content: string;
  preview: string;
  answerable: boolean;
  /** Whether the message opts out of recalls or in again. It is handled even while a user has taken over the conversation. */
  is_recall_choice: boolean;
  sent_at: Date;
};

const ensureConversationsStatement = sql(`
  insert into conversations (clinic_id, id, phone, human_until)
  select distinct on (clinic_id, phone) clinic_id, id, phone, case when human then 'infinity'::timestamptz end
  from unnest($1::uuid[], $2::uuid[], $3::text[], $4::bool[]) as n (clinic_id, id, phone, human) order by clinic_id, phone, id
  on conflict on constraint conversations_phone_unique do nothing`);

// The order of the arrays is the order of the conversation. A message is handled at once, without a turn of the bot, when the bot is off or a
// user has taken over; except choices about recalls and answers to a recall, which other services are notified of.
const insertMessagesStatement = sql<{ clinic_id: string; id: string; conversation_id: string; waiting: boolean }>(`
  insert into messages (clinic_id, id, conversation_id, direction, sender, type, content, provider_id, status, handled_at, sent_at, created_at)
  select n.clinic_id, n.id, c.id, case when n.echo then 'out' else 'in' end, case when n.echo then 'user' else 'patient' end, n.type, n.content,
    n.provider_id, case when n.echo then 'sent' else 'received' end,
    case when n.answerable and (n.is_recall_choice or h.bot_enabled and (c.human_until is null or c.human_until <= $10) or exists (
      select from outbound o where o.clinic_id = n.clinic_id and o.phone = n.phone and o.kind = 'recall' and o.claimed_at > $10 - interval '14 days'))
      then null else $10::timestamptz end, n.sent_at, $10
  from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::jsonb[], $7::bool[], $8::bool[], $9::timestamptz[], $11::bool[])
    with ordinality as n (clinic_id, id, phone, provider_id, type, content, echo, answerable, sent_at, is_recall_choice, place)
  join conversations c on c.clinic_id = n.clinic_id and c.phone = n.phone
  join channels h on h.clinic_id = n.clinic_id
  order by n.place
  on conflict on constraint messages_provider_id_unique do nothing
  returning clinic_id, id, conversation_id, handled_at is null as waiting`);

export type ChangedConversation = {
  clinic_id: string;
  id: string;
  /** Whether there are turns to take, or the patient has not been looked up yet. */
  waiting: boolean;
  patient_id: string | null;
  human_until: Date | number | null;
  unread_count: number;
  revision: number;
};

// A message of the patient opens the 24-hour window and extends a takeover; an echo, which a user wrote on another device, takes over.
const updateConversationsStatement = sql<ChangedConversation>(`
  update conversations c set
    status = 'open',
    unread_count = c.unread_count + n.unread,
    last_message = n.preview,
    last_message_at = greatest(c.last_message_at, $6::timestamptz),
    profile_name = coalesce(n.profile_name, c.profile_name),
    window_expires_at = greatest(c.window_expires_at, n.window_expires_at),
    human_until = case when n.echoes or c.human_until > $6 then greatest(c.human_until, $7::timestamptz) else c.human_until end,
    revision = c.revision + 1
  from (
    select t.clinic_id, t.conversation_id, count(*) filter (where not t.echo)::int as unread, bool_or(t.echo) as echoes, bool_or(t.waiting) as waiting,
      (array_agg(t.preview order by t.place desc))[1] as preview, (array_agg(t.profile_name order by t.place desc) filter (where t.profile_name is not null))[1] as profile_name,
      max(t.window_expires_at) as window_expires_at
    from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::timestamptz[], $8::bool[], $9::bool[])
      with ordinality as t (clinic_id, conversation_id, preview, profile_name, window_expires_at, echo, waiting, place)
    group by t.clinic_id, t.conversation_id
  ) n
  where c.clinic_id = n.clinic_id and c.id = n.conversation_id
  returning c.clinic_id, c.id, c.patient_id, c.human_until, c.unread_count, c.revision, c.patient_checked_at is null or n.waiting as waiting`);

/** Returns the conversations with new messages. A message that is stored already changes nothing. */
export async function insertReceivedMessages(
  tx: SystemTx,
  messages: NewMessage[],
  times: { now: Date; windowMs: number; takeoverMs: number },
): Promise<ChangedConversation[]> {
  const column = <K extends keyof NewMessage>(key: K, of = messages) => of.map((message) => message[key]);
  await execute(tx, ensureConversationsStatement, [column('clinic_id'), column('new_conversation_id'), column('phone'), column('human')]);
  const inserted = await rows(tx, insertMessagesStatement, [
    column('clinic_id'),
    column('id'),
    column('phone'),
    column('provider_id'),
    column('type'),
    column('content'),
    column('echo'),
    column('answerable'),
    column('sent_at'),
    times.now,
    column('is_recall_choice'),
  ]);
  const stored = new Map(inserted.map((one) => [one.id, one]));
  const newMessages = messages.filter(({ id }) => stored.has(id));
  if (newMessages.length === 0) return [];
  return rows(tx, updateConversationsStatement, [
    column('clinic_id', newMessages),
    newMessages.map(({ id }) => stored.get(id)?.conversation_id),
    column('preview', newMessages),
    column('profile_name', newMessages),
    newMessages.map(({ echo, sent_at }) => (echo ? null : new Date(sent_at.getTime() + times.windowMs))),
    times.now,
    new Date(times.now.getTime() + times.takeoverMs),
    column('echo', newMessages),
    newMessages.map(({ id }) => stored.get(id)?.waiting),
  ]);
}
