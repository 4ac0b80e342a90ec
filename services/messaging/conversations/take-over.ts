// Assigns a conversation to the caller, to a given user of the clinic or, when an integration key asks, to nobody in particular. The bot does not answer in it until it is released.
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { found } from '@clinic/lib/errors/errors.ts';
import { parseUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { TakeOverRequest } from '@clinic/proto/messaging/v1/conversation_pb.js';
import type { App } from '../app.ts';
import { toConversationKey } from './conversation-key-rules.ts';
import { takeOver as assign, emitUpdated, lockConversationByPhone, toProto } from './conversations.sql.ts';
import { TAKEOVER_MS } from './takeover-rules.ts';

export async function takeOver(app: App, request: TakeOverRequest, call: Call) {
  const clinic = clinicOf(call);
  const userId = request.userId === undefined ? userIdOf(call) : await parseAssignee(app, call, request.userId);
  const phone = found(toConversationKey(request.phone), 'Conversation');
  return inTenant(app.db, clinic.id, async (tx) => {
    const now = app.clock.now();
    const { id } = found(await lockConversationByPhone(tx, phone), 'Conversation');
    const taken = await assign(tx, id, new Date(now.getTime() + TAKEOVER_MS), userId);
    await Promise.all([
      emitUpdated(tx, taken, 'takeover', now),
      audit(tx, clinic.id, call.caller, { action: 'conversation.taken_over', entityId: id, changes: { assigned_user_id: userId } }),
    ]);
    return toProto(taken, now);
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
