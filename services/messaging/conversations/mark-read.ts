// Marks a conversation as read, and shows so on the patient's phone.
import { inTenant } from '@clinic/lib/db/db.ts';
import { found } from '@clinic/lib/errors/errors.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { MarkReadRequest } from '@clinic/proto/messaging/v1/conversation_pb.js';
import type { App } from '../app.ts';
import { toConversationKey } from './conversation-key-rules.ts';
import { emitUpdated, lockConversationByPhone, markRead as mark, toProto } from './conversations.sql.ts';
import { enqueueReadReceipt } from './send-read-receipt.ts';

export async function markRead(app: App, request: MarkReadRequest, call: Call) {
  const { id: clinicId } = clinicOf(call);
  const phone = found(toConversationKey(request.phone), 'Conversation');
  return inTenant(app.db, clinicId, async (tx) => {
    const now = app.clock.now();
    const conversation = found(await lockConversationByPhone(tx, phone), 'Conversation');
    if (conversation.unread_count === 0) return toProto(conversation, now);
    const updated = await mark(tx, conversation.id);
    await Promise.all([emitUpdated(tx, updated, 'read', now), enqueueReadReceipt(tx, conversation.id)]);
    return toProto(updated, now);
  });
}
