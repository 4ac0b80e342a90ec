// Stores outgoing messages in the transaction of the caller; the sender sends them afterwards. Every chat message is sent this way.
import type { TenantTx, Tx } from '@clinic/lib/db/db.ts';
import { v7 } from 'uuid';
import { emitAllUpdated, ensureConversations, recordOutgoing } from '../conversations/conversations.sql.ts';
import { toPreview } from '../conversations/message-content-rules.ts';
import { insertOutgoing, type MessageRow, rewriteMessages } from '../conversations/messages.sql.ts';
import { insertOutbound } from './outbound.sql.ts';
import { type Outgoing, typeOf } from './outgoing-content-rules.ts';
import { encodeReference, type Reference } from './reference-rules.ts';

type NewOutgoingMessage = {
  /** E.164. */
  phone: string;
  kind: 'bot' | 'reply';
  content: Outgoing;
  /** Id of the patient's message to which this is the reply. Each message gets one reply at most. */
  answers?: string;
  sender: 'bot' | 'user';
  sentBy?: string | null;
};

/** Stores a message of a conversation. Undefined if the patient's message already has a reply. */
export async function sendMessage(tx: TenantTx, message: NewOutgoingMessage, now: Date): Promise<MessageRow | undefined> {
  const { answers = null, sentBy: sent_by = null, ...rest } = message;
  const outbound = { ...rest, id: v7(), reference: null, sent_by, answers, priority: 0, due_at: now, needed_by: null };
  if (!(await insertOutbound(tx, tx.clinicId, outbound, now))) return undefined;
  const [stored] = await addToConversations(tx, [{ ...outbound, clinic_id: tx.clinicId }], now);
  return stored;
}

/**
 * Stores a message that is composed for each attempt to send it (Prepare), unless there is one with the same reference. Lower priorities are
 * sent first: 0 conversations and offers, 1 notices, 2 campaigns. Quiet hours that end too late for `neededBy` do not hold the message.
 */
export async function sendLater(tx: Tx, clinicId: string, reference: Reference, { neededBy = null, priority = 1 }: Urgency, now: Date): Promise<void> {
  const stored = { ...UNPROMPTED, id: v7(), kind: reference.kind, reference: encodeReference(reference), phone: null };
  await insertOutbound(tx, clinicId, { ...stored, priority, due_at: now, needed_by: neededBy }, now);
}

type Urgency = { neededBy?: Date | null; priority?: number };
const UNPROMPTED = { sender: 'system', sent_by: null, answers: null } as const;

type Written = { kind: 'booking_code'; reference: string; phone: string; content: Outgoing };

/** Stores a message whose content is known but which is not a reply, unless there is one with the same reference. */
export async function sendOnce(tx: TenantTx, written: Written, now: Date): Promise<void> {
  const outbound = { ...UNPROMPTED, ...written, id: v7(), priority: 0, due_at: now, needed_by: null };
  if (await insertOutbound(tx, tx.clinicId, outbound, now)) await addToConversations(tx, [{ ...outbound, clinic_id: tx.clinicId }], now);
}

type ConversationMessage = { clinic_id: string; id: string; phone: string; sender: 'bot' | 'user' | 'system'; sent_by: string | null; content: Outgoing };

/**
 * Adds messages to different phones to their conversations, which are created if necessary, and returns those that are new. If an earlier attempt has
 * added a message, only its content is replaced.
 */
export async function addToConversations(tx: Tx, written: ConversationMessage[], now: Date): Promise<MessageRow[]> {
  const conversations = await ensureConversations(tx, written);
  const messages = written.map((one, index) => ({ ...one, conversation_id: conversations[index]?.id as string, type: typeOf(one.content) }));
  const added = await insertOutgoing(tx, messages, now);
  const earlier = messages.filter(({ id }) => !added.some((one) => one.id === id));
  if (earlier.length > 0) await rewriteMessages(tx, earlier);
  if (added.length === 0) return [];
  const updated = await recordOutgoing(
    tx,
    added.map((one) => ({ ...one, preview: toPreview(one.type, one.content) })),
    now,
  );
  await emitAllUpdated(tx, updated, 'message', now);
  return added;
}
