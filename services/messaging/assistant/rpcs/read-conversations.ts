// The caller's own conversations with the assistant.
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { inTenant } from '@clinic/lib/db/db.ts';
import { found } from '@clinic/lib/errors/errors.ts';
import { parsePage } from '@clinic/lib/formats/page.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetAssistantConversationRequest, ListAssistantConversationsRequest } from '@clinic/proto/messaging/v1/assistant_pb.js';
import type { App } from '../../app.ts';
import { contentOf } from '../conversation-history.ts';
import { listActions, toAction } from '../sql/assistant-actions.sql.ts';
import { type ConversationRow, decryptTitle, findConversation, listConversations, listNewestMessages } from '../sql/assistant-conversations.sql.ts';

const MAX_MESSAGES = 200;

export async function listAssistantConversations(app: App, request: ListAssistantConversationsRequest, call: Call) {
  const page = parsePage(request, 50, 500);
  const { rows, total } = await listConversations(app.db, clinicOf(call).id, call.caller.id, page);
  const conversations = rows.map((one) => ({ ...toConversation(app, one), messageCount: one.messages }));
  return { conversations, total, page: page.page, limit: page.limit };
}

/** With its newest messages and its proposals. */
export function getAssistantConversation(app: App, { id }: GetAssistantConversationRequest, call: Call) {
  return inTenant(app.db, clinicOf(call).id, async (tx) => {
    const conversation = found(isUuid(id) ? await findConversation(tx, id, call.caller.id) : undefined, 'Conversation');
    const [messages, actions] = await Promise.all([listNewestMessages(tx, id, MAX_MESSAGES), listActions(tx, id)]);
    return {
      ...toConversation(app, conversation),
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
    };
  });
}

const toConversation = ({ keys }: App, conversation: ConversationRow) => ({
  id: conversation.id,
  title: decryptTitle(keys, conversation),
  createdAt: timestampFromDate(conversation.created_at),
  updatedAt: timestampFromDate(conversation.updated_at),
});
