// Stores outgoing messages in the transaction of the caller; the sender sends them afterwards. Every chat message is sent this way.
import type { TenantTx, Tx } from '@clinic/lib/db/db.ts';
import { v7 } from 'uuid';
import { emitUpdated, ensureConversation, recordOutgoing } from '../conversations/conversations.sql.ts';
import { toPreview } from '../conversations/message-content-rules.ts';
import { insertOutgoing, type MessageRow } from '../conversations/messages.sql.ts';
import { insertOutbound, rewriteMessage } from './outbound.sql.ts';
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
  return (await insertOutbound(tx, tx.clinicId, outbound, now)) ? addToConversation(tx, outbound, now) : undefined;
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
  if (await insertOutbound(tx, tx.clinicId, outbound, now)) await addToConversation(tx, outbound, now);
}

type ConversationMessage = { id: string; phone: string; sender: 'bot' | 'user' | 'system'; sent_by: string | null; content: Outgoing };

/** Adds a message to its conversation, which is created if necessary. If an earlier attempt has added it, only its content is replaced. */
export async function addToConversation(tx: TenantTx, written: ConversationMessage, now: Date): Promise<MessageRow | undefined> {
  const { id, phone, sender, sent_by, content } = written;
  const { id: conversation_id } = await ensureConversation(tx, v7(), phone);
  const type = typeOf(content);
  const message = await insertOutgoing(tx, { id, conversation_id, sender, sent_by, type, content, status: 'queued', created_at: now });
  if (!message) {
    await rewriteMessage(tx, { id, conversation_id, type, content });
    return undefined;
  }
  const updated = await recordOutgoing(tx, conversation_id, toPreview(type, content), now);
  await emitUpdated(tx, updated, 'message', now);
  return message;
}
