// Threads of the clinic, found by name or phone.

import { readTenant } from '@clinic/lib/db/db.ts';
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { parsePage } from '@clinic/lib/formats/page.ts';
import { parseOptionalText } from '@clinic/lib/formats/text.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { ListConversationsRequest } from '@clinic/proto/messaging/v1/conversation_pb.js';
import type { App } from '../app.ts';
import { listConversationsStatements, toProto } from './conversations.sql.ts';
import { patternOf } from './search-rules.ts';

export async function listConversations(app: App, request: ListConversationsRequest, call: Call) {
  const { id } = clinicOf(call);
  const { page, limit, offset } = parsePage(request, 50, 500);
  const status = request.status ? parseOneOf('status', request.status, ['open', 'closed']) : '';
  const { kind, pattern } = patternOf(parseOptionalText('search', request.search, 200) ?? '');
  const values = [id, limit, offset, status, ...(kind === 'all' ? [] : [pattern])];
  const found = await readTenant(app.db, id, listConversationsStatements[kind], values);
  const now = app.clock.now();
  const conversations = found.filter((one) => one.id !== null).map((one) => toProto(one, now));
  return { conversations, total: found[0]?.total ?? 0, page, limit };
}
