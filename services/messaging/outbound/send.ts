// Stores outgoing messages, in the transaction of the caller. The sender sends them afterwards. Every chat message goes out this way.
import type { TenantTx, Tx } from '@clinic/lib/db/db.ts';
import { v7 } from 'uuid';
import { type ConversationRow, emitUpdated, ensureConversation, recordOutgoing } from '../conversations/conversations.sql.ts';
import { toPreview } from '../conversations/message-content-rules.ts';
import { insertOutgoing, type MessageRow } from '../conversations/messages.sql.ts';
import { TAKEOVER_MS } from '../conversations/takeover-rules.ts';
import { insertOutbound } from './outbound.sql.ts';
import { type Outgoing, toMessageContent } from './outgoing-content-rules.ts';
import { encodeReference, type Reference } from './reference-rules.ts';

export type NewOutgoingMessage = {
  /** E.164. */
  phone: string;
  /** bot, reply, appointment_reminder … With a reference, changes of the state are published with both. */
  kind: string;
  content: Outgoing;
  /** Sent instead of `content` when the 24-hour window is closed at the moment of sending. */
  outsideWindow?: Outgoing;
  /** Unique within the kind: a second message with the same reference is not stored. */
  reference?: string;
  /** Id of the patient's message that it answers. Each message is answered once. */
  answers?: string;
  /** The message is sent, and added to the conversation, at this instant or later. */
  notBefore?: Date;
  sender: 'bot' | 'user' | 'system';
  sentBy?: string;
  /** Lower is sent first: 0 for conversations, 1 for notices (the default), 2 for campaigns. */
  priority?: number;
  /** Whether it is sent again when the provider does not confirm it; true by default. */
  resend?: boolean;
};

/**
 * Stores a message to be sent. Undefined when a message with this reference, or an answer to this message, exists. The caller notifies
 * `app.toSend` after the commit; otherwise the sender finds the message within a second.
 */
export async function sendMessage(tx: TenantTx, given: NewOutgoingMessage, now: Date): Promise<{ id: string; message: MessageRow | undefined } | undefined> {
  const { phone, kind, content, outsideWindow = null, reference = null, answers = null, notBefore, sender, sentBy = null } = given;
  const outbound = {
    id: v7(),
    kind,
    reference,
    phone,
    sender,
    sent_by: sentBy,
    content,
    outside_window: outsideWindow,
    answers,
    priority: given.priority ?? 1,
    resend: given.resend ?? true,
    due_at: notBefore ?? now,
  };
  if (!(await insertOutbound(tx, tx.clinicId, outbound, now))) return undefined;
  const message = notBefore ? undefined : await addToConversation(tx, { ...outbound, phone, content }, now);
  return { id: outbound.id, message };
}

/** Stores a message that is prepared at the moment of sending (Prepare), unless there is one with the same reference. */
export async function sendLater(
  tx: Tx,
  clinicId: string,
  reference: Reference,
  { notBefore, priority = 1 }: { notBefore?: Date | undefined; priority?: number },
  now: Date,
): Promise<void> {
  const unprepared = { phone: null, sender: 'system' as const, sent_by: null, content: null, outside_window: null, answers: null };
  const stored = { id: v7(), kind: reference.kind, reference: encodeReference(reference) };
  await insertOutbound(tx, clinicId, { ...stored, ...unprepared, priority, resend: false, due_at: notBefore ?? now }, now);
}

type ConversationMessage = { id: string; phone: string; sender: 'bot' | 'user' | 'system'; sent_by: string | null; content: Outgoing };

/** Adds a message to its conversation, which is created if there is none. A message that is there already changes nothing. */
export async function addToConversation(
  tx: TenantTx,
  { id, phone, sender, sent_by, content: outgoing }: ConversationMessage,
  now: Date,
): Promise<MessageRow | undefined> {
  const conversation: ConversationRow = await ensureConversation(tx, v7(), phone);
  const { type, content } = toMessageContent(outgoing);
  const message = await insertOutgoing(tx, { id, conversation_id: conversation.id, sender, sent_by, type, content, status: 'queued', created_at: now });
  if (!message) return undefined;
  const updated = await recordOutgoing(tx, conversation.id, toPreview(type, content), now, new Date(now.getTime() + TAKEOVER_MS));
  await emitUpdated(tx, updated, 'message', now);
  return message;
}
