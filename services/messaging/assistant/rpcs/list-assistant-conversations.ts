// The caller's own conversations with the assistant.
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { parsePage } from '@clinic/lib/formats/page.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { ListAssistantConversationsRequest } from '@clinic/proto/messaging/v1/assistant_pb.js';
import type { App } from '../../app.ts';
import { decryptTitle, listConversations } from '../sql/assistant-conversations.sql.ts';

export async function listAssistantConversations(app: App, request: ListAssistantConversationsRequest, call: Call) {
  const page = parsePage(request, 50, 500);
  const found = await listConversations(app.db, clinicOf(call).id, call.caller.id, page);
  const conversations = found.rows.map((one) => ({
    id: one.id,
    title: decryptTitle(app.keys, one),
    messageCount: one.messages,
    createdAt: timestampFromDate(one.created_at),
    updatedAt: timestampFromDate(one.updated_at),
  }));
  return { conversations, total: found.total, page: page.page, limit: page.limit };
}
