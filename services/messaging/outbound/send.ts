// The one way out: a message is stored in the transaction of whatever asks for it, and sent by the sender afterwards.
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
  /** bot, reply, reminder, waitlist …; statuses are told to other services under it when there is a reference. */
  kind: string;
  content: Outgoing;
  /** Sent instead when the 24 hours of the window are over at the moment of sending. */
  outsideWindow?: Outgoing;
  /** What the asker calls it, unique for the kind: the same again sends nothing. */
  reference?: string;
  /** The message of the patient that it answers: each is answered once. */
  answers?: string;
  /** Not to be sent before then; in the thread only once it is sent. */
  notBefore?: Date;
  sender: 'bot' | 'user' | 'system';
  sentBy?: string;
  /** Lower goes first: 0 for talk, 1 for notices (the default), 2 for campaigns. */
  priority?: number;
  /** Whether it is sent again when the provider never said that it got it; true unless told. */
  resend?: boolean;
};

/**
 * Stores a message to be sent. Undefined when there is one of that reference, or an answer to that message, already.
 * Ring `app.toSend` after the commit, or it is found at the next sweep, a second later at most.
 */
export async function sendMessage(tx: TenantTx, intent: NewOutgoingMessage, now: Date): Promise<{ id: string; message: MessageRow | undefined } | undefined> {
  const { phone, kind, content, outsideWindow = null, reference = null, answers = null, notBefore, sender, sentBy = null } = intent;
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
    priority: intent.priority ?? 1,
    resend: intent.resend ?? true,
    due_at: notBefore ?? now,
  };
  if (!(await insertOutbound(tx, tx.clinicId, outbound, now))) return undefined;
  const message = notBefore ? undefined : await addToConversation(tx, { ...outbound, phone, content }, now);
  return { id: outbound.id, message };
}

/** Stores a message that is written at the moment of sending (Prepare). Nothing is stored when there is one about the same already. */
export async function sendLater(
  tx: Tx,
  clinicId: string,
  reference: Reference,
  { notBefore, priority = 1 }: { notBefore?: Date | undefined; priority?: number },
  now: Date,
): Promise<void> {
  const unwritten = { phone: null, sender: 'system' as const, sent_by: null, content: null, outside_window: null, answers: null };
  const stored = { id: v7(), kind: reference.kind, reference: encodeReference(reference) };
  await insertOutbound(tx, clinicId, { ...stored, ...unwritten, priority, resend: false, due_at: notBefore ?? now }, now);
}

type ConversationMessage = { id: string; phone: string; sender: 'bot' | 'user' | 'system'; sent_by: string | null; content: Outgoing };

/** Shows a message of ours in its thread, which is made when there is none. Again changes nothing. */
export async function addToConversation(
  tx: TenantTx,
  { id, phone, sender, sent_by, content: outgoing }: ConversationMessage,
  now: Date,
): Promise<MessageRow | undefined> {
  const conversation: ConversationRow = await ensureConversation(tx, v7(), phone);
  const { type, content } = toMessageContent(outgoing);
  const message = await insertOutgoing(tx, { id, conversation_id: conversation.id, sender, sent_by, type, content, status: 'queued', created_at: now });
  if (!message) return undefined;
  const noted = await recordOutgoing(tx, conversation.id, toPreview(type, content), now, new Date(now.getTime() + TAKEOVER_MS));
  await emitUpdated(tx, noted, 'message', now);
  return message;
}
