// Conversations that wait for a person.
import { parseInteger } from '@clinic/lib/formats/numbers.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { ListWaitingConversationsRequest } from '@clinic/proto/messaging/v1/conversation_pb.js';
import type { App } from '../app.ts';
import { listWaitingConversations as list, toProto } from './conversations.sql.ts';

export async function listWaitingConversations(app: App, request: ListWaitingConversationsRequest, call: Call) {
  const limit = parseInteger('limit', request.limit || 50, 1, 500);
  const now = app.clock.now();
  const { rows, total } = await list(app.db, clinicOf(call).id, now, limit);
  return { conversations: rows.map((row) => toProto(row, now)), total };
}
