// Stores the outcomes of many turns at once: the bot's replies and their conversations.
import { execute, rows, type SystemTx, sql } from '@clinic/lib/db/db.ts';
import { searchName } from '@clinic/lib/formats/search-name.ts';
import type { ChangedConversation } from '../conversations/conversations.sql.ts';
import { toPreview } from '../conversations/message-content-rules.ts';
import { type HandoverReason, takeoverEnd } from '../conversations/takeover-rules.ts';
import { type Outgoing, typeOf } from '../outbound/outgoing-content-rules.ts';
import type { Outcome } from './decide-turn.ts';
import type { TurnRow } from './turns.sql.ts';

// Priority 0 is that of conversations. A unique index on `answers` ensures that each message gets one reply at most.
const answersStatement = sql(`
  with given as (
    select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::jsonb[])
      with ordinality as n (clinic_id, id, conversation_id, answers, phone, type, content, place)
  ), stored as (
    insert into outbound (clinic_id, id, kind, phone, sender, answers, priority, resend, next_attempt_at, created_at, updated_at)
    select clinic_id, id, 'bot', phone, 'bot', answers, 0, false, $8, $8, $8 from given order by place
    on conflict do nothing returning clinic_id, id
  )
  insert into messages (clinic_id, id, conversation_id, direction, sender, type, content, status, created_at)
  select g.clinic_id, g.id, g.conversation_id, 'out', 'bot', g.type, g.content, 'queued', $8
  from given g join stored s on s.clinic_id = g.clinic_id and s.id = g.id order by g.place`);

type BotAnswer = { id: string; turn: TurnRow; content: Outgoing };

/** Stores replies, which the sender sends. */
export async function insertAnswers(tx: SystemTx, answers: BotAnswer[], now: Date): Promise<void> {
  tx.wrote.add('outbound');
  await execute(tx, answersStatement, [
    answers.map(({ turn }) => turn.clinic_id),
    answers.map(({ id }) => id),
    answers.map(({ turn }) => turn.conversation_id),
    answers.map(({ turn }) => turn.message_id),
    answers.map(({ turn }) => turn.phone),
    answers.map(({ content }) => typeOf(content)),
    answers.map(({ content }) => JSON.stringify(content)),
    now,
  ]);
}

// A patient that an event of scheduling has linked meanwhile is more recent, and is not replaced.
const linkStatement = sql(`
  update conversations c set patient_id = n.patient_id, patient_name = n.patient_name, search_name = coalesce(n.search_name, c.search_name),
    patient_checked_at = $7
  from unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::uuid[], $5::text[], $6::text[])
    as n (clinic_id, id, checked_before, patient_id, patient_name, search_name)
  where c.clinic_id = n.clinic_id and c.id = n.id and c.patient_checked_at is not distinct from n.checked_before`);

/** Records the patients to whom the phones belong according to scheduling. */
export async function linkPatients(tx: SystemTx, outcomes: Outcome[], now: Date): Promise<void> {
  const asked = outcomes.filter(({ patient }) => patient !== undefined);
  if (asked.length === 0) return;
  await execute(tx, linkStatement, [
    asked.map(({ turn }) => turn.clinic_id),
    asked.map(({ turn }) => turn.conversation_id),
    asked.map(({ turn }) => turn.patient_checked_at),
    asked.map(({ patient }) => patient?.id ?? null),
    asked.map(({ patient }) => patient?.name ?? null),
    asked.map(({ patient }) => (patient ? searchName(patient.name) : null)),
    now,
  ]);
}

const updateStatement = sql<ChangedConversation>(`
  update conversations c set
    last_message = coalesce(n.preview, c.last_message),
    last_message_at = case when n.preview is null then c.last_message_at else greatest(c.last_message_at, $5) end,
    human_until = case when n.handover_reason is null then c.human_until else greatest(c.human_until, $6) end,
    handover_reason = coalesce(n.handover_reason, c.handover_reason),
    assigned_user_id = case when n.handover_reason is null then c.assigned_user_id end,
    status = case when n.handover_reason is null then c.status else 'open' end,
    revision = c.revision + 1
  from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[]) as n (clinic_id, id, preview, handover_reason)
  where c.clinic_id = n.clinic_id and c.id = n.id
  returning c.clinic_id, c.id, c.patient_id, c.human_until, c.handover_reason, c.unread_count, c.revision`);

/** `content`: the newest message of the conversation. */
type ConversationChange = { turn: TurnRow; content?: Outgoing | undefined; handOver?: HandoverReason | undefined };

export function updateConversations(tx: SystemTx, changes: ConversationChange[], now: Date): Promise<ChangedConversation[]> {
  return rows(tx, updateStatement, [
    changes.map(({ turn }) => turn.clinic_id),
    changes.map(({ turn }) => turn.conversation_id),
    changes.map(({ content }) => (content ? toPreview(typeOf(content), content) : null)),
    changes.map(({ handOver }) => handOver ?? null),
    now,
    takeoverEnd(now),
  ]);
}

const errorsStatement = sql(`
  update messages m set error = n.error from unnest($1::uuid[], $2::uuid[], $3::text[]) as n (clinic_id, id, error)
  where m.clinic_id = n.clinic_id and m.id = n.id`);

/** Marks messages to which the bot could not reply. */
export async function markUnanswered(tx: SystemTx, outcomes: Outcome[]): Promise<void> {
  const failed = outcomes.filter(({ error }) => error !== undefined);
  if (failed.length === 0) return;
  await execute(tx, errorsStatement, [failed.map(({ turn }) => turn.clinic_id), failed.map(({ turn }) => turn.message_id), failed.map(({ error }) => error)]);
}
