// One talk of the caller, with what was proposed in it.
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { inTenant } from '@clinic/lib/db/db.ts';
import { found } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetAssistantConversationRequest } from '@clinic/proto/messaging/v1/assistant_pb.js';
import type { App } from '../../app.ts';
import { contentOf } from '../conversation-history.ts';
import { shownAction } from '../shown-action.ts';
import { listActions } from '../sql/assistant-actions.sql.ts';
import { findConversation, newestMessages, openTitle } from '../sql/assistant-conversations.sql.ts';

const SHOWN = 200;

export function getAssistantConversation(app: App, request: GetAssistantConversationRequest, call: Call) {
  return inTenant(app.db, clinicOf(call).id, async (tx) => {
    const conversation = found(isUuid(request.id) ? await findConversation(tx, request.id, call.caller.id) : undefined, 'Conversation');
    const [messages, actions] = await Promise.all([newestMessages(tx, conversation.id, SHOWN), listActions(tx, conversation.id)]);
    return {
      id: conversation.id,
      title: openTitle(app.keys, conversation),
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
      actions: actions.map((action) => shownAction(app.keys, action, app.clock.now())),
      createdAt: timestampFromDate(conversation.created_at),
      updatedAt: timestampFromDate(conversation.updated_at),
    };
  });
}
