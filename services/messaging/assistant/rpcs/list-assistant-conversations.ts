// The caller's own talks with the assistant.
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { readTenant } from '@clinic/lib/db/db.ts';
import { parsePage } from '@clinic/lib/formats/page.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { ListAssistantConversationsRequest } from '@clinic/proto/messaging/v1/assistant_pb.js';
import type { App } from '../../app.ts';
import { listConversationsStatement, openTitle } from '../sql/assistant-conversations.sql.ts';

export async function listAssistantConversations(app: App, request: ListAssistantConversationsRequest, call: Call) {
  const { id: clinicId } = clinicOf(call);
  const { page, limit, offset } = parsePage(request, 50, 500);
  const found = await readTenant(app.db, clinicId, listConversationsStatement, [clinicId, call.caller.id, limit, offset]);
  const conversations = found
    .filter(({ id }) => id !== null)
    .map((one) => ({
      id: one.id,
      title: openTitle(app.keys, one),
      messageCount: one.messages,
      createdAt: timestampFromDate(one.created_at),
      updatedAt: timestampFromDate(one.updated_at),
    }));
  return { conversations, total: found[0]?.total ?? 0, page, limit };
}
