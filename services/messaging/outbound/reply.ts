// Sends a user's reply to a patient, or the template that opens a conversation with a patient. The same transaction takes over the conversation,
// so that the bot no longer replies.
import { audit } from '@clinic/lib/audit/audit.ts';
import { fail, found, invalid } from '@clinic/lib/errors/errors.ts';
import { parseText } from '@clinic/lib/formats/text.ts';
import { idempotent } from '@clinic/lib/rpc/idempotency.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import { ConversationService, type ReplyRequest } from '@clinic/proto/messaging/v1/conversation_pb.js';
import type { App } from '../app.ts';
import { findChannel, isConnected } from '../channel/channels.sql.ts';
import { userIdOf } from '../conversations/change-mode.ts';
import { toConversationKey } from '../conversations/conversation-key-rules.ts';
import {
  emitUpdated,
  ensureConversations,
  findConversationOf,
  linkPatient,
  lockConversationByPhone,
  markRead,
  takeOver,
} from '../conversations/conversations.sql.ts';
import { findPatientOf } from '../conversations/look-up-patient.ts';
import { toProto } from '../conversations/messages.sql.ts';
import { enqueueReadReceipt } from '../conversations/send-read-receipt.ts';
import { isWindowOpen, modeOf } from '../conversations/takeover-rules.ts';
import { LIMITS, type Outgoing } from './outgoing-content-rules.ts';
import { sendMessage } from './send.ts';

export async function reply(app: App, request: ReplyRequest, call: Call) {
  const clinic = clinicOf(call);
  const content = parseContent(request);
  const phone = found(toConversationKey(request.phone), 'Conversation');
  const isKnown = await findConversationOf(app.db, clinic.id, phone);
  const patient = isKnown ? undefined : found((await findPatientOf(app, clinic.id, phone)) ?? undefined, 'Conversation');
  return idempotent(app.db, call, ConversationService.method.reply, request, async (tx) => {
    const now = app.clock.now();
    // If free text would open a conversation, it is refused below, and the new conversation is rolled back.
    const ensured = patient && ensureConversations(tx, [{ clinic_id: clinic.id, phone }]).then(([one]) => one);
    const [locked, channel] = await Promise.all([ensured ?? lockConversationByPhone(tx, phone), findChannel(tx)]);
    const conversation = found(locked, 'Conversation');
    if (patient) await linkPatient(tx, tx.clinicId, phone, patient, now);
    if (!phone.startsWith('+')) fail('CHAT_RECIPIENT_UNKNOWN');
    if (!channel || !isConnected(channel)) fail('CHAT_NOT_CONNECTED', channel?.status === 'failed' ? channel.detail : undefined);
    if (!content.template && !isWindowOpen(conversation.window_expires_at, now)) fail('CHAT_WINDOW_CLOSED');
    const [taken] = await Promise.all([takeOver(tx, conversation.id, userIdOf(call), now), markRead(tx, conversation.id)]);
    if (modeOf(conversation.human_until, now) === 'bot') await emitUpdated(tx, taken, 'takeover', now);
    if (conversation.unread_count > 0) await enqueueReadReceipt(tx, conversation.id);
    const message = found(await sendMessage(tx, { phone, kind: 'reply', content, sender: 'user', sentBy: userIdOf(call) }, now), 'Message');
    await audit(tx, clinic.id, call.caller, { action: 'conversation.replied', entityId: conversation.id });
    return toProto(message, phone);
  });
}

function parseContent({ message, template }: ReplyRequest): Outgoing {
  if (!template) return { text: parseText('message', message, LIMITS.text) };
  const name = /^[a-z0-9_]{1,512}$/.test(template.name) ? template.name : invalid('template.name', 'must be lower-case letters, digits and underscores');
  const language = /^[a-z]{2,3}(_[A-Z]{2})?$/.test(template.language)
    ? template.language
    : invalid('template.language', 'must be a language code, for example es or es_MX');
  if (template.variables.length > 20) invalid('template.variables', 'must have at most 20 items');
  const variables = template.variables.map((value, index) => parseText(`template.variables.${index}`, value, LIMITS.body));
  const text = message.trim() ? parseText('message', message, LIMITS.text) : `[${name}] ${variables.join(' · ')}`.trim();
  return { text, template: { name, language, variables } };
}
