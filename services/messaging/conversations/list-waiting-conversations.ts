// Threads that wait for a person.
import { readTenant } from '@clinic/lib/db/db.ts';
import { parseInteger } from '@clinic/lib/formats/numbers.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { ListWaitingConversationsRequest } from '@clinic/proto/messaging/v1/conversation_pb.js';
import type { App } from '../app.ts';
import { listWaitingStatement, toProto } from './conversations.sql.ts';

export async function listWaitingConversations(app: App, request: ListWaitingConversationsRequest, call: Call) {
  const { id } = clinicOf(call);
  const limit = parseInteger('limit', request.limit || 50, 1, 500);
  const now = app.clock.now();
  const found = await readTenant(app.db, id, listWaitingStatement, [id, now, limit]);
  return { conversations: found.filter((one) => one.id !== null).map((one) => toProto(one, now)), total: found[0]?.total ?? 0 };
}
