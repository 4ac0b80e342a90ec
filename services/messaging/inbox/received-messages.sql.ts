// Puts what has arrived into its threads: a whole batch in three statements, whichever clinics it is for.
import { execute, rows, type SystemTx, sql } from '@clinic/lib/db/db.ts';

export type NewMessage = {
  clinic_id: string;
  /** UUID for the message. */
  id: string;
  /** UUID for the thread, when there is none yet. */
  new_conversation_id: string;
  phone: string;
  profile_name: string | null;
  /** Only a person can help this user. */
  human: boolean;
  echo: boolean;
  provider_id: string;
  type: string;
  content: string;
  preview: string;
  answerable: boolean;
  /** A wish to be left alone: it is heard whoever has the thread. */
  is_opt_out: boolean;
  sent_at: Date;
};

const ensureConversationsStatement = sql(`
  insert into conversations (clinic_id, id, phone, human_until)
  select distinct on (clinic_id, phone) clinic_id, id, phone, case when human then 'infinity'::timestamptz end
  from unnest($1::uuid[], $2::uuid[], $3::text[], $4::bool[]) as n (clinic_id, id, phone, human) order by clinic_id, phone, id
  on conflict on constraint conversations_phone_unique do nothing`);

// In the order of the arrays: that is the order of the thread. Where no bot speaks, or a person does, no turn is waited for, unless
// the message is a wish to be left alone or answers a recall: others want to hear of that.
const insertMessagesStatement = sql<{ clinic_id: string; id: string; conversation_id: string; waiting: boolean }>(`
  insert into messages (clinic_id, id, conversation_id, direction, sender, type, content, provider_id, status, handled_at, sent_at, created_at)
  select n.clinic_id, n.id, c.id, case when n.echo then 'out' else 'in' end, case when n.echo then 'user' else 'patient' end, n.type, n.content,
    n.provider_id, case when n.echo then 'sent' else 'received' end,
    case when n.answerable and (n.wish or h.bot_enabled and (c.human_until is null or c.human_until <= $10) or exists (
      select from outbound o where o.clinic_id = n.clinic_id and o.phone = n.phone and o.kind = 'recall' and o.claimed_at > $10 - interval '14 days'))
      then null else $10::timestamptz end, n.sent_at, $10
  from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::jsonb[], $7::bool[], $8::bool[], $9::timestamptz[], $11::bool[])
    with ordinality as n (clinic_id, id, phone, provider_id, type, content, echo, answerable, sent_at, wish, place)
  join conversations c on c.clinic_id = n.clinic_id and c.phone = n.phone
  join channels h on h.clinic_id = n.clinic_id
  order by n.place
  on conflict on constraint messages_provider_id_unique do nothing
  returning clinic_id, id, conversation_id, handled_at is null as waiting`);

export type ChangedConversation = {
  clinic_id: string;
  id: string;
  /** Whether it has turns to be taken, or nobody has been asked yet whose phone it is. */
  waiting: boolean;
  patient_id: string | null;
  human_until: Date | number | null;
  unread_count: number;
  revision: number;
};

// A message of the patient opens the window and keeps a takeover awake; one that a person wrote elsewhere takes over.
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
    select t.clinic_id, t.thread_id, count(*) filter (where not t.echo)::int as unread, bool_or(t.echo) as echoes, bool_or(t.waiting) as waiting,
      (array_agg(t.preview order by t.place desc))[1] as preview, (array_agg(t.profile_name order by t.place desc) filter (where t.profile_name is not null))[1] as profile_name,
      max(t.window_expires_at) as window_expires_at
    from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::timestamptz[], $8::bool[], $9::bool[])
      with ordinality as t (clinic_id, thread_id, preview, profile_name, window_expires_at, echo, waiting, place)
    group by t.clinic_id, t.thread_id
  ) n
  where c.clinic_id = n.clinic_id and c.id = n.thread_id
  returning c.clinic_id, c.id, c.patient_id, c.human_until, c.unread_count, c.revision, c.patient_checked_at is null or n.waiting as waiting`);

/** Returns the threads that have new messages; what was there already changes nothing. */
export async function insertReceivedMessages(
  tx: SystemTx,
  messages: NewMessage[],
  times: { now: Date; windowMs: number; silenceMs: number },
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
    column('is_opt_out'),
  ]);
  const placed = new Map(inserted.map((one) => [one.id, one]));
  const fresh = messages.filter(({ id }) => placed.has(id));
  if (fresh.length === 0) return [];
  return rows(tx, updateConversationsStatement, [
    column('clinic_id', fresh),
    fresh.map(({ id }) => placed.get(id)?.conversation_id),
    column('preview', fresh),
    column('profile_name', fresh),
    fresh.map(({ echo, sent_at }) => (echo ? null : new Date(sent_at.getTime() + times.windowMs))),
    times.now,
    new Date(times.now.getTime() + times.silenceMs),
    column('echo', fresh),
    fresh.map(({ id }) => placed.get(id)?.waiting),
  ]);
}
