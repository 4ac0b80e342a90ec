// One conversation of the caller, with its proposals.
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { inTenant } from '@clinic/lib/db/db.ts';
import { found } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetAssistantConversationRequest } from '@clinic/proto/messaging/v1/assistant_pb.js';
import type { App } from '../../app.ts';
import { contentOf } from '../conversation-history.ts';
import { listActions, toAction } from '../sql/assistant-actions.sql.ts';
import { decryptTitle, findConversation, listNewestMessages } from '../sql/assistant-conversations.sql.ts';

const MAX_MESSAGES = 200;

export function getAssistantConversation(app: App, request: GetAssistantConversationRequest, call: Call) {
  return inTenant(app.db, clinicOf(call).id, async (tx) => {
    const conversation = found(isUuid(request.id) ? await findConversation(tx, request.id, call.caller.id) : undefined, 'Conversation');
    const [messages, actions] = await Promise.all([listNewestMessages(tx, conversation.id, MAX_MESSAGES), listActions(tx, conversation.id)]);
    return {
      id: conversation.id,
      title: decryptTitle(app.keys, conversation),
      messages: messages.map((message) => {
        const { text, tools = [], citations = [], error } = contentOf(app.keys, message);
        return {
          id: message.id,
          role: message.role,
          text,
          source: message.source ?? undefined,
          tools,
          citations: citations.map(({ kind, label, href }, index) => ({ number: index + 1, kind, label, href })),
          error,
          createdAt: timestampFromDate(message.created_at),
        };
      }),
      actions: actions.map((action) => toAction(app.keys, action, app.clock.now())),
      createdAt: timestampFromDate(conversation.created_at),
      updatedAt: timestampFromDate(conversation.updated_at),
    };
  });
}
