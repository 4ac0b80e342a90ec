// Takes over a conversation for the staff, releases it to the bot, and marks it as read, which also sends a read receipt to the patient.
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant, type TenantTx } from '@clinic/lib/db/db.ts';
import { found } from '@clinic/lib/errors/errors.ts';
import { parseUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { MarkReadRequest, ReleaseRequest, TakeOverRequest } from '@clinic/proto/messaging/v1/conversation_pb.js';
import type { App } from '../app.ts';
import { toConversationKey } from './conversation-key-rules.ts';
import * as conversations from './conversations.sql.ts';
import { enqueueReadReceipt } from './send-read-receipt.ts';

/** Assigns the conversation to the user in the request, or else to the caller; to no user if the caller is an integration key. */
export async function takeOver(app: App, request: TakeOverRequest, call: Call) {
  const userId = request.userId === undefined ? userIdOf(call) : await parseAssignee(app, call, request.userId);
  return change(app, call, request.phone, async (tx, { id }, now) => {
    const taken = await conversations.takeOver(tx, id, userId, now);
    await Promise.all([
      conversations.emitUpdated(tx, taken, 'takeover', now),
      audit(tx, tx.clinicId, call.caller, { action: 'conversation.taken_over', entityId: id, changes: { assigned_user_id: userId } }),
    ]);
    return taken;
  });
}

/** Returns the conversation to the bot, and closes it if the request says so. */
export const release = (app: App, request: ReleaseRequest, call: Call) =>
  change(app, call, request.phone, async (tx, { id }, now) => {
    const released = await conversations.release(tx, id, request.close);
    await Promise.all([
      conversations.emitUpdated(tx, released, 'release', now),
      audit(tx, tx.clinicId, call.caller, { action: 'conversation.released', entityId: id, changes: { status: released.status } }),
    ]);
    return released;
  });

export const markRead = (app: App, request: MarkReadRequest, call: Call) =>
  change(app, call, request.phone, async (tx, conversation, now) => {
    if (conversation.unread_count === 0) return conversation;
    const updated = await conversations.markRead(tx, conversation.id);
    await Promise.all([conversations.emitUpdated(tx, updated, 'read', now), enqueueReadReceipt(tx, conversation.id)]);
    return updated;
  });

type Work = (tx: TenantTx, conversation: conversations.ConversationRow, now: Date) => Promise<conversations.ConversationRow>;

/** Changes the conversation of a phone under its lock. */
async function change(app: App, call: Call, key: string, work: Work) {
  const phone = found(toConversationKey(key), 'Conversation');
  return inTenant(app.db, clinicOf(call).id, async (tx) => {
    const now = app.clock.now();
    const conversation = found(await conversations.lockConversationByPhone(tx, phone), 'Conversation');
    return conversations.toProto(await work(tx, conversation, now), call, now);
  });
}

/** The id of the calling user; null for an integration key, to which no conversation is assigned. */
export const userIdOf = ({ caller }: Call) => (caller.kind === 'integration_key' ? null : caller.id);

/** Throws NOT_FOUND unless the id is that of an active user of the clinic. */
async function parseAssignee(app: App, call: Call, id: string): Promise<string> {
  const userId = parseUuid('userId', id);
  if (userId !== call.caller.id) await app.clinics.checkUser(clinicOf(call).id, userId);
  return userId;
}
