// Messages of conversations.
import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { type Db, execute, readTenant, row, rows, sql, type TenantTx, type Tx } from '@clinic/lib/db/db.ts';
import { type TimelineAfter, type TimelineRow, timelinePage } from '@clinic/lib/formats/timeline.ts';
import { toFields } from '@clinic/lib/formats/to-fields.ts';
import type { MessageSchema } from '@clinic/proto/messaging/v1/conversation_pb.js';
import { type Content, toText } from './message-content-rules.ts';

export type MessageRow = {
  clinic_id: string;
  id: string;
  seq: bigint;
  conversation_id: string;
  direction: 'in' | 'out';
  sender: 'patient' | 'bot' | 'user' | 'system';
  sent_by: string | null;
  type: string;
  content: Content;
  provider_id: string | null;
  status: string;
  error: string | null;
  sent_at: Date | null;
  created_at: Date;
};

/** A message with data of other messages: the one that it replies to, and its last edit and deletion. */
type ListedMessageRow = MessageRow & { replied_id: string | null; edited_at: Date | null; revoked_at: Date | null };

/** Files are represented by the path from which they can be downloaded. */
export function toProto(message: MessageRow & Partial<ListedMessageRow>, phone: string): MessageInitShape<typeof MessageSchema> {
  const { choice, choices = [], media, location, newPhone } = message.content;
  return {
    ...toFields(message),
    text: toText(message.type, message.content),
    choiceId: choice?.id,
    choices,
    media: media && { url: `/api/conversations/${encodeURIComponent(phone)}/media/${message.id}`, mimeType: media.mimeType, filename: media.filename },
    location,
    newPhone,
    replyTo: message.replied_id ?? undefined,
    createdAt: timestampFromDate(message.sent_at ?? message.created_at),
  };
}

const COLUMNS = `m.clinic_id, m.id, m.seq, m.conversation_id, m.direction, m.sender, m.sent_by, m.type, m.content, m.provider_id, m.status, m.error,
  m.sent_at, m.created_at`;

const page = (condition: string) =>
  sql<ListedMessageRow>(`
  select ${COLUMNS}, (select r.id from messages r where r.clinic_id = m.clinic_id and r.provider_id = m.content->>'replyTo') as replied_id,
    changes.edited_at, changes.revoked_at
  from messages m cross join lateral (
    select max(c.sent_at) filter (where c.type = 'edit') as edited_at, max(c.sent_at) filter (where c.type = 'revoke') as revoked_at
    from messages c where c.clinic_id = m.clinic_id and c.conversation_id = m.conversation_id and c.type in ('edit', 'revoke')
      and c.content->>'replyTo' = m.provider_id
  ) changes where m.clinic_id = $1 and m.conversation_id = $2 and ${condition} order by m.seq desc limit $3`);

const newestStatement = page('true');
const beforeStatement = page('m.seq < (select b.seq from messages b where b.clinic_id = $1 and b.conversation_id = $2 and b.id = $4)');

/** The newest first; if `before` is the id of a message, only earlier ones. */
export function listMessages(tx: TenantTx, conversationId: string, before: string | undefined, limit: number) {
  return before ? rows(tx, beforeStatement, [tx.clinicId, conversationId, limit, before]) : rows(tx, newestStatement, [tx.clinicId, conversationId, limit]);
}

const lastReceivedStatement = sql<{ provider_id: string | null }>(`
  select provider_id from messages where clinic_id = $1 and conversation_id = $2 and direction = 'in' and type <> 'preference' and provider_id is not null order by seq desc limit 1`);

/** The newest message of the patient that has a provider's id. That of a preference is assigned by this service. */
export const findNewestReceived = (tx: TenantTx, conversationId: string) => row(tx, lastReceivedStatement, [tx.clinicId, conversationId]);

const findMessageStatement = sql<MessageRow>(`
  select ${COLUMNS} from messages m join conversations c on c.clinic_id = m.clinic_id and c.id = m.conversation_id
  where m.clinic_id = $1 and c.phone = $2 and m.id = $3`);

/** A message of the conversation with the phone. */
export const findMessage = async (db: Db, clinicId: string, phone: string, id: string) =>
  (await readTenant(db, clinicId, findMessageStatement, [clinicId, phone, id]))[0];

const insertStatement = sql<MessageRow>(`
  insert into messages as m (clinic_id, id, conversation_id, direction, sender, sent_by, type, content, status, created_at)
  select clinic_id, id, conversation_id, 'out', sender, sent_by, type, content, 'queued', $8
  from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::uuid[], $6::text[], $7::jsonb[])
    as n (clinic_id, id, conversation_id, sender, sent_by, type, content)
  on conflict do nothing
  returning ${COLUMNS}`);

type NewOutgoing = Pick<MessageRow, 'clinic_id' | 'id' | 'conversation_id' | 'sender' | 'sent_by' | 'type' | 'content'>;

/** Stores messages that are about to be sent. Returns those whose ids are new. */
export const insertOutgoing = (tx: Tx, messages: NewOutgoing[], now: Date): Promise<MessageRow[]> => rows(tx, insertStatement, [...columnsOf(messages), now]);

const rewriteStatement = sql(`
  update messages m set conversation_id = n.conversation_id, type = n.type, content = n.content
  from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::uuid[], $6::text[], $7::jsonb[])
    as n (clinic_id, id, conversation_id, sender, sent_by, type, content)
  where m.clinic_id = n.clinic_id and m.id = n.id`);

/** Replaces the content of messages that were not sent. */
export const rewriteMessages = (tx: Tx, messages: NewOutgoing[]) => execute(tx, rewriteStatement, columnsOf(messages));

const columnsOf = (messages: NewOutgoing[]) => [
  messages.map(({ clinic_id }) => clinic_id),
  messages.map(({ id }) => id),
  messages.map(({ conversation_id }) => conversation_id),
  messages.map(({ sender }) => sender),
  messages.map(({ sent_by }) => sent_by),
  messages.map(({ type }) => type),
  messages.map(({ content }) => JSON.stringify(content)),
];

const timelineStatement = sql<TimelineRow>(
  timelinePage(`
  select m.created_at as at, 'message' as kind, m.id, m.direction as title, m.status, null::bigint as amount_cents
  from messages m join conversations c on c.clinic_id = m.clinic_id and c.id = m.conversation_id where c.clinic_id = $1 and c.phone = any($2)`),
);

/** When messages were exchanged with the phones. */
export const listTimelineMessages = (db: Db, clinicId: string, phones: string[], { before, beforeId, limit }: TimelineAfter) =>
  readTenant(db, clinicId, timelineStatement, [clinicId, phones, before, beforeId, limit]);
