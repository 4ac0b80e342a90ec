// Returns a conversation to the bot, and closes it on request.
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { found } from '@clinic/lib/errors/errors.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { ReleaseRequest } from '@clinic/proto/messaging/v1/conversation_pb.js';
import type { App } from '../app.ts';
import { toConversationKey } from './conversation-key-rules.ts';
import { emitUpdated, release as end, lockConversationByPhone, toProto } from './conversations.sql.ts';

export async function release(app: App, request: ReleaseRequest, call: Call) {
  const clinic = clinicOf(call);
  const phone = found(toConversationKey(request.phone), 'Conversation');
  return inTenant(app.db, clinic.id, async (tx) => {
    const now = app.clock.now();
    const { id } = found(await lockConversationByPhone(tx, phone), 'Conversation');
    const released = await end(tx, id, request.close);
    await Promise.all([
      emitUpdated(tx, released, 'release', now),
      audit(tx, clinic.id, call.caller, { action: 'conversation.released', entityId: id, changes: { status: released.status } }),
    ]);
    return toProto(released, now);
  });
}
