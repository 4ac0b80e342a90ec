// Conversations with the assistant. Each belongs to one user.
import type { NamedKey } from '@clinic/lib/config/config.ts';
import { decrypt, encrypt } from '@clinic/lib/crypto/crypto.ts';
import { type Db, execute, row, rows, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import { readPage } from '@clinic/lib/db/read-page.ts';
import type { Page } from '@clinic/lib/formats/page.ts';

export type ConversationRow = { clinic_id: string; id: string; title_sealed: Buffer; messages: number; created_at: Date; updated_at: Date };
export type MessageRow = { id: string; role: 'user' | 'assistant'; source: 'model' | 'rules' | null; content_sealed: Buffer; created_at: Date };

export const titleContext = (id: string) => `assistant_conversations/${id}/title`;
export const contentContext = (id: string) => `assistant_messages/${id}`;

const COLUMNS = 'clinic_id, id, title_sealed, messages, created_at, updated_at';

const insertStatement = sql(`
  insert into assistant_conversations (clinic_id, id, user_id, title_sealed, created_at, updated_at) values ($1, $2, $3, $4, $5, $5)`);

export async function insertConversation(
  tx: TenantTx,
  keys: NamedKey[],
  conversation: { id: string; userId: string; title: string },
  now: Date,
): Promise<void> {
  const { id, userId, title } = conversation;
  await execute(tx, insertStatement, [tx.clinicId, id, userId, encrypt(keys, title, titleContext(id)), now]);
}

const findStatement = sql<ConversationRow>(`select ${COLUMNS} from assistant_conversations where clinic_id = $1 and id = $2 and user_id = $3`);

/** Undefined if the conversation does not exist or belongs to another user. */
export const findConversation = (tx: TenantTx, id: string, userId: string) => row(tx, findStatement, [tx.clinicId, id, userId]);

export const decryptTitle = (keys: NamedKey[], { id, title_sealed }: Pick<ConversationRow, 'id' | 'title_sealed'>) =>
  decrypt(keys, title_sealed, titleContext(id));

const listStatement = sql<ConversationRow & { total: number }>(`
  select counted.total, page.* from (select count(*)::int as total from assistant_conversations where clinic_id = $1 and user_id = $2) counted
  left join lateral (
    select ${COLUMNS} from assistant_conversations where clinic_id = $1 and user_id = $2 order by updated_at desc, id limit $3 offset $4
  ) page on true`);

/** A page of the user's conversations, the one with the newest message first, and their total number. */
export const listConversations = (db: Db, clinicId: string, userId: string, { limit, offset }: Page) =>
  readPage(db, clinicId, listStatement, [clinicId, userId, limit, offset]);

const numberStatement = sql<{ messages: number }>(
  'update assistant_conversations set messages = messages + 1, updated_at = $3 where clinic_id = $1 and id = $2 returning messages',
);
const appendStatement = sql(`
  insert into assistant_messages (clinic_id, id, conversation_id, seq, role, source, content_sealed, created_at) values ($1, $2, $3, $4, $5, $6, $7, $8)`);

type NewMessage = { id: string; conversationId: string; role: 'user' | 'assistant'; source: 'model' | 'rules' | null; content: string };

/** Does nothing if the conversation was deleted meanwhile. */
export async function appendMessage(tx: TenantTx, keys: NamedKey[], { id, conversationId, role, source, content }: NewMessage, now: Date): Promise<void> {
  const numbered = await row(tx, numberStatement, [tx.clinicId, conversationId, now]);
  if (!numbered) return;
  await execute(tx, appendStatement, [tx.clinicId, id, conversationId, numbered.messages, role, source, encrypt(keys, content, contentContext(id)), now]);
}

const newestStatement = sql<MessageRow>(`
  select id, role, source, content_sealed, created_at from assistant_messages where clinic_id = $1 and conversation_id = $2 order by seq desc limit $3`);

/** The newest `limit` messages, the oldest of them first. */
export const listNewestMessages = async (tx: TenantTx, conversationId: string, limit: number) =>
  (await rows(tx, newestStatement, [tx.clinicId, conversationId, limit])).reverse();

export const decryptContent = (keys: NamedKey[], { id, content_sealed }: Pick<MessageRow, 'id' | 'content_sealed'>) =>
  decrypt(keys, content_sealed, contentContext(id));
