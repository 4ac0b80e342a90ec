// Conversations of the clinic, found by name or phone.
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { parsePage } from '@clinic/lib/formats/page.ts';
import { searchName } from '@clinic/lib/formats/search-name.ts';
import { parseOptionalText } from '@clinic/lib/formats/text.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { ListConversationsRequest } from '@clinic/proto/messaging/v1/conversation_pb.js';
import type { App } from '../app.ts';
import { listConversations as list, type Search, toProto } from './conversations.sql.ts';

export async function listConversations(app: App, request: ListConversationsRequest, call: Call) {
  const page = parsePage(request, 50, 500);
  const status = request.status ? parseOneOf('status', request.status, ['open', 'closed']) : '';
  const search = toSearch(parseOptionalText('search', request.search, 200) ?? '');
  const { rows, total } = await list(app.db, clinicOf(call).id, page, status, search);
  const now = app.clock.now();
  return { conversations: rows.map((row) => toProto(row, now)), total, page: page.page, limit: page.limit };
}

/** Digits are looked for anywhere in the phone, words at the beginnings of words of the name. */
function toSearch(text: string): Search {
  const digits = text.replaceAll(/[\s()+-]/g, '');
  if (/^\d+$/.test(digits)) return { kind: 'phone', pattern: `%${digits}%` };
  const words = searchName(text);
  return words === '' ? { kind: 'all', pattern: '' } : { kind: 'name', pattern: `%${words}%` };
}
