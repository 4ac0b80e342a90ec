// RPCs of deliveries of the chat provider: storage, and the list and replay for operators.
import { audit } from '@clinic/lib/audit/audit.ts';
import { asSystem } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { parsePage } from '@clinic/lib/formats/page.ts';
import { toFields } from '@clinic/lib/formats/to-fields.ts';
import { isUuid, NO_CLINIC } from '@clinic/lib/formats/uuid.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { ListChatEventsRequest, ReceiveChatEventRequest, ReplayChatEventRequest } from '@clinic/proto/messaging/v1/chat_event_pb.js';
import type { App } from '../app.ts';
import { listEvents, replayEvent, STATUSES } from './chat-events.sql.ts';

/** Only stores the delivery, because the provider waits for the response. */
export async function receiveChatEvent(app: App, { body }: ReceiveChatEventRequest, { deadline }: Pick<Call, 'deadline'>) {
  await app.deliveryStore.store(body, deadline);
  return {};
}

/** Lists, by default, the deliveries that could not be processed. */
export async function listChatEvents(app: Pick<App, 'db'>, request: ListChatEventsRequest) {
  const page = parsePage(request, 50, 500);
  const statuses = request.status ? [parseOneOf('status', request.status, STATUSES)] : ['unusable', 'unknown_number'];
  const { events, total } = await listEvents(app.db, statuses, page);
  return { events: events.map(toFields), total, page: page.page, limit: page.limit };
}

/** Queues a delivery for processing again. */
export async function replayChatEvent(app: Pick<App, 'db' | 'deliveryStored'>, { id }: ReplayChatEventRequest, { caller }: Call) {
  if (!isUuid(id)) fail('NOT_FOUND', 'Event not found');
  const event = await asSystem(app.db, async (tx) => {
    const replayed = found(await replayEvent(tx, id), 'Event');
    await audit(tx, NO_CLINIC, caller, { action: 'chat_event.replayed', entityId: id });
    return toFields(replayed);
  });
  app.deliveryStored.notify();
  return event;
}
