// Lists deliveries for the operators of the platform, by default those that could not be processed.
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { parsePage } from '@clinic/lib/formats/page.ts';
import type { ListChatEventsRequest } from '@clinic/proto/messaging/v1/chat_event_pb.js';
import type { App } from '../app.ts';
import { listEvents, toProto } from './chat-events.sql.ts';

const STATUSES = ['received', 'done', 'unusable', 'unknown_number', 'unproven_number'] as const;

export async function listChatEvents(app: Pick<App, 'db'>, request: ListChatEventsRequest) {
  const page = parsePage(request, 50, 500);
  const statuses = request.status ? [parseOneOf('status', request.status, STATUSES)] : ['unusable', 'unknown_number'];
  const { events, total } = await listEvents(app.db, statuses, page);
  return { events: events.map(toProto), total, page: page.page, limit: page.limit };
}
