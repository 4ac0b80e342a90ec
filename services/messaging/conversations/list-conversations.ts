// Conversations of the clinic, found by name or phone.
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { parsePage } from '@clinic/lib/formats/page.ts';
import { phoneDigits } from '@clinic/lib/formats/phone.ts';
import { namePatterns } from '@clinic/lib/formats/search-name.ts';
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

/** Digits are looked for anywhere in the phone, each word at the beginnings of words of the name; punctuation alone finds nothing. */
function toSearch(text: string): Search {
  if (text === '') return { kind: 'all', patterns: [] };
  const digits = phoneDigits(text);
  return digits ? { kind: 'phone', patterns: [`%${digits}%`] } : { kind: 'name', patterns: namePatterns(text) };
}
