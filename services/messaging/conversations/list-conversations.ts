// Lists the conversations of a clinic.
import { parseInteger, parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { parsePage } from '@clinic/lib/formats/page.ts';
import { phoneDigits } from '@clinic/lib/formats/phone.ts';
import { namePatterns } from '@clinic/lib/formats/search-name.ts';
import { parseOptionalText } from '@clinic/lib/formats/text.ts';
import { parseUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { ListConversationPhonesRequest, ListConversationsRequest, ListWaitingConversationsRequest } from '@clinic/proto/messaging/v1/conversation_pb.js';
import type { App } from '../app.ts';
import * as conversations from './conversations.sql.ts';

/** Lists conversations, optionally those whose name or phone matches a search. */
export async function listConversations(app: App, request: ListConversationsRequest, call: Call) {
  const page = parsePage(request, 50, 500);
  const status = request.status ? parseOneOf('status', request.status, ['open', 'closed']) : '';
  const search = toSearch(parseOptionalText('search', request.search, 200) ?? '');
  const { rows, total } = await conversations.listConversations(app.db, clinicOf(call).id, page, status, search);
  const now = app.clock.now();
  return { conversations: rows.map((row) => conversations.toProto(row, call, now)), total, page: page.page, limit: page.limit };
}

/** Digits match anywhere in the phone. Words match the beginnings of words of the name. Punctuation alone matches nothing. */
function toSearch(text: string): conversations.Search {
  if (text === '') return { kind: 'all', patterns: [] };
  const digits = phoneDigits(text);
  return digits ? { kind: 'phone', patterns: [`%${digits}%`] } : { kind: 'name', patterns: namePatterns(text) };
}

/** Lists conversations that wait for a person. */
export async function listWaitingConversations(app: App, request: ListWaitingConversationsRequest, call: Call) {
  const limit = parseInteger('limit', request.limit || 50, 1, 500);
  const now = app.clock.now();
  const { rows, total } = await conversations.listWaitingConversations(app.db, clinicOf(call).id, now, limit);
  return { conversations: rows.map((row) => conversations.toProto(row, call, now)), total };
}

export async function listConversationPhones(app: App, { clinicId, ids }: ListConversationPhonesRequest) {
  const uuids = ids.map((id, index) => parseUuid(`ids.${index}`, id));
  const found = await conversations.listPhonesOf(app.db, parseUuid('clinic_id', clinicId), uuids);
  return { phones: Object.fromEntries(found.map(({ id, phone }) => [id, phone])) };
}
