// What was said before, as it is kept: sealed, with the words that the talk has for people and records.
import type { NamedKey } from '@clinic/lib/config/config.ts';
import type { TenantTx } from '@clinic/lib/db/db.ts';
import type { Spoken } from './model-turn.ts';
import type { Reference } from './rules/tool-output.ts';
import { addStored, newVocabulary, type StoredVocabulary, type Vocabulary } from './rules/vocabulary.ts';
import { type MessageRow, newestMessages, openMessage } from './sql/assistant-conversations.sql.ts';

/** What a message holds beside its text. */
export type Content = {
  text: string;
  /** As the model reads it, or wrote it; absent when it was not for a model. */
  raw?: string;
  /** Whether names stand in `raw` as they are. */
  named?: boolean;
  tools?: { name: string; summary: string }[];
  citations?: Reference[];
  actions?: string[];
  vocabulary?: StoredVocabulary;
  /** Why the answer broke off. */
  error?: string;
};

export const contentOf = (keys: NamedKey[], message: MessageRow) => JSON.parse(openMessage(keys, message)) as Content;

/** So many are said to the model again; words of the talk are known for longer. */
const REMEMBERED = 12;
const KNOWN = 200;

/** The last turns. What was said with names is left out where names may not leave now. */
export async function recall(
  tx: TenantTx,
  keys: NamedKey[],
  conversationId: string,
  sendNames: boolean,
): Promise<{ vocabulary: Vocabulary; spoken: Spoken[]; isFirst: boolean }> {
  const vocabulary = newVocabulary();
  const spoken: Spoken[] = [];
  const messages = await newestMessages(tx, conversationId, KNOWN);
  for (const [index, message] of messages.entries()) {
    const { raw, named, vocabulary: stored } = contentOf(keys, message);
    if (stored) addStored(vocabulary, stored);
    const isRecent = index >= messages.length - REMEMBERED;
    if (isRecent && raw !== undefined && (sendNames || !named)) spoken.push({ role: message.role, raw });
  }
  return { vocabulary, spoken, isFirst: messages.length === 0 };
}
