// Who answers in a conversation: a takeover assigns it to the staff until it is released to the bot. Reading it is shown on the patient's phone.
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
import { TAKEOVER_MS } from './takeover-rules.ts';

/** To the caller, to a given user of the clinic or, when an integration key asks, to nobody in particular. */
export async function takeOver(app: App, request: TakeOverRequest, call: Call) {
  const userId = request.userId === undefined ? userIdOf(call) : await parseAssignee(app, call, request.userId);
  return change(app, call, request.phone, async (tx, { id }, now) => {
    const taken = await conversations.takeOver(tx, id, new Date(now.getTime() + TAKEOVER_MS), userId);
    await Promise.all([
      conversations.emitUpdated(tx, taken, 'takeover', now),
      audit(tx, tx.clinicId, call.caller, { action: 'conversation.taken_over', entityId: id, changes: { assigned_user_id: userId } }),
    ]);
    return taken;
  });
}

/** Closes the conversation on request. */
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
async function change(app: App, call: Call, given: string, work: Work) {
  const phone = found(toConversationKey(given), 'Conversation');
  return inTenant(app.db, clinicOf(call).id, async (tx) => {
    const now = app.clock.now();
    const conversation = found(await conversations.lockConversationByPhone(tx, phone), 'Conversation');
    return conversations.toProto(await work(tx, conversation, now), now);
  });
}

/** The user who calls; null for an integration key, to which nothing is assigned. */
export const userIdOf = ({ caller }: Call) => (caller.kind === 'integration_key' ? null : caller.id);

/** Throws unless identity says that the user is an active one of this clinic. */
async function parseAssignee(app: App, call: Call, given: string): Promise<string> {
  const userId = parseUuid('userId', given);
  if (userId !== call.caller.id) await app.clinics.checkUser(clinicOf(call).id, userId);
  return userId;
}
