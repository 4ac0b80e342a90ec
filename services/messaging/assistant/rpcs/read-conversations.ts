// Lists and returns the caller's own conversations with the assistant.
import { inTenant } from '@clinic/lib/db/db.ts';
import { found } from '@clinic/lib/errors/errors.ts';
import { parsePage } from '@clinic/lib/formats/page.ts';
import { toFields } from '@clinic/lib/formats/to-fields.ts';
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
  return { conversations: rows.map((one) => toConversation(app, one)), total, page: page.page, limit: page.limit };
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
          ...toFields(message),
          text,
          tools,
          citations: citations.map(({ kind, label, href }, index) => ({ number: index + 1, kind, label, href })),
          error,
        };
      }),
      actions: actions.map((action) => toAction(app.keys, action, app.clock.now())),
    };
  });
}

const toConversation = ({ keys }: App, conversation: ConversationRow) => ({
  ...toFields(conversation),
  title: decryptTitle(keys, conversation),
  messageCount: conversation.messages,
});
