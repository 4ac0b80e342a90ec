// Deliveries that could not be used, for the platform's operators.

import { readSystem } from '@clinic/lib/db/db.ts';
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { parsePage } from '@clinic/lib/formats/page.ts';
import type { ListChatEventsRequest } from '@clinic/proto/messaging/v1/chat_event_pb.js';
import type { App } from '../app.ts';
import { listEventsStatement, toProto } from './chat-events.sql.ts';

const STATUSES = ['received', 'done', 'unusable', 'unknown_number', 'unproven_number'] as const;

export async function listChatEvents(app: Pick<App, 'db'>, request: ListChatEventsRequest) {
  const { page, limit, offset } = parsePage(request, 50, 500);
  const statuses = request.status ? [parseOneOf('status', request.status, STATUSES)] : ['unusable', 'unknown_number'];
  const events = await readSystem(app.db, listEventsStatement, [statuses, limit, offset]);
  return { events: events.filter(({ id }) => id !== null).map(toProto), total: events[0]?.total ?? 0, page, limit };
}
