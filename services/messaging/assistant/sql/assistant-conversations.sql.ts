// Talks with the assistant: each is one user's, and nobody else's.
import type { NamedKey } from '@clinic/lib/config/config.ts';
import { decrypt, encrypt } from '@clinic/lib/crypto/crypto.ts';
import { execute, row, rows, sql, type TenantTx } from '@clinic/lib/db/db.ts';

export type ConversationRow = { clinic_id: string; id: string; title_sealed: Buffer; messages: number; created_at: Date; updated_at: Date };
export type MessageRow = { id: string; role: 'user' | 'assistant'; source: 'model' | 'rules' | null; content_sealed: Buffer; created_at: Date };

export const titlePlace = (id: string) => `assistant_conversations/${id}/title`;
export const messagePlace = (id: string) => `assistant_messages/${id}`;

const COLUMNS = 'clinic_id, id, title_sealed, messages, created_at, updated_at';

const insertStatement = sql<ConversationRow>(`
  insert into assistant_conversations (clinic_id, id, user_id, title_sealed, created_at, updated_at) values ($1, $2, $3, $4, $5, $5) returning ${COLUMNS}`);

export async function insertConversation(tx: TenantTx, keys: NamedKey[], given: { id: string; userId: string; title: string }, now: Date): Promise<void> {
  const { id, userId, title } = given;
  await row(tx, insertStatement, [tx.clinicId, id, userId, encrypt(keys, title, titlePlace(id)), now]);
}

const findStatement = sql<ConversationRow>(`select ${COLUMNS} from assistant_conversations where clinic_id = $1 and id = $2 and user_id = $3`);

/** Only when it is this user's. */
export const findConversation = (tx: TenantTx, id: string, userId: string) => row(tx, findStatement, [tx.clinicId, id, userId]);

export const openTitle = (keys: NamedKey[], { id, title_sealed }: Pick<ConversationRow, 'id' | 'title_sealed'>) => decrypt(keys, title_sealed, titlePlace(id));

/** $1 clinic, $2 user, $3 limit, $4 offset. Always a row, which carries the total. */
export const listConversationsStatement = sql<ConversationRow & { total: number }>(`
  select counted.total, page.* from (select count(*)::int as total from assistant_conversations where clinic_id = $1 and user_id = $2) counted
  left join lateral (
    select ${COLUMNS} from assistant_conversations where clinic_id = $1 and user_id = $2 order by updated_at desc, id limit $3 offset $4
  ) page on true`);

const numberStatement = sql<{ messages: number }>(
  'update assistant_conversations set messages = messages + 1, updated_at = $3 where clinic_id = $1 and id = $2 returning messages',
);
const appendStatement = sql(`
  insert into assistant_messages (clinic_id, id, conversation_id, seq, role, source, content_sealed, created_at) values ($1, $2, $3, $4, $5, $6, $7, $8)`);

export type NewMessage = { id: string; conversationId: string; role: 'user' | 'assistant'; source: 'model' | 'rules' | null; content: string };

/** Adds a message at the end of the talk. */
export async function appendMessage(tx: TenantTx, keys: NamedKey[], { id, conversationId, role, source, content }: NewMessage, now: Date): Promise<void> {
  const numbered = await row(tx, numberStatement, [tx.clinicId, conversationId, now]);
  if (!numbered) return; // the talk is gone
  await execute(tx, appendStatement, [tx.clinicId, id, conversationId, numbered.messages, role, source, encrypt(keys, content, messagePlace(id)), now]);
}

const newestStatement = sql<MessageRow>(`
  select id, role, source, content_sealed, created_at from assistant_messages where clinic_id = $1 and conversation_id = $2 order by seq desc limit $3`);

/** The newest so many, the oldest of them first. */
export const newestMessages = async (tx: TenantTx, conversationId: string, limit: number) =>
  (await rows(tx, newestStatement, [tx.clinicId, conversationId, limit])).reverse();

export const openMessage = (keys: NamedKey[], { id, content_sealed }: Pick<MessageRow, 'id' | 'content_sealed'>) =>
  decrypt(keys, content_sealed, messagePlace(id));
