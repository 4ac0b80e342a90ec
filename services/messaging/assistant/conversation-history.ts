// Loads the stored messages of a conversation. Each is encrypted and contains the words that it added to the vocabulary.
import type { NamedKey } from '@clinic/lib/config/config.ts';
import type { TenantTx } from '@clinic/lib/db/db.ts';
import type { Reference } from './rules/tool-output.ts';
import { addStored, newVocabulary, type StoredVocabulary } from './rules/vocabulary.ts';
import { decryptContent, listNewestMessages, type MessageRow } from './sql/assistant-conversations.sql.ts';

/** The content of a message, stored as encrypted JSON. */
export type Content = {
  text: string;
  /** The message as the model reads or wrote it; absent if no model was involved. */
  raw?: string;
  /** Whether `raw` contains real names. */
  named?: boolean;
  tools?: { name: string; summary: string }[];
  citations?: Reference[];
  actions?: string[];
  vocabulary?: StoredVocabulary;
  /** The error code with which the answer ended early. */
  error?: string;
};

export type ModelHistory = { role: 'user' | 'assistant'; raw: string }[];

export const contentOf = (keys: NamedKey[], message: MessageRow) => JSON.parse(decryptContent(keys, message)) as Content;

/** The number of newest messages that are sent to the model again. */
const SENT_AGAIN = 12;
/** The number of newest messages whose vocabulary is loaded. */
const LOADED = 200;

/** Returns the vocabulary, and the messages to send to the model again: without those with real names, unless names may be sent. */
export async function loadHistory(tx: TenantTx, keys: NamedKey[], conversationId: string, sendNames: boolean) {
  const vocabulary = newVocabulary();
  const history: ModelHistory = [];
  const messages = await listNewestMessages(tx, conversationId, LOADED);
  for (const [index, message] of messages.entries()) {
    const { raw, named, vocabulary: stored } = contentOf(keys, message);
    if (stored) addStored(vocabulary, stored);
    const isRecent = index >= messages.length - SENT_AGAIN;
    if (isRecent && raw !== undefined && (sendNames || !named)) history.push({ role: message.role, raw });
  }
  return { vocabulary, history, isFirst: messages.length === 0 };
}
