// Has a delivery processed again, on request of an operator.
import { asSystem } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import type { ReplayChatEventRequest } from '@clinic/proto/messaging/v1/chat_event_pb.js';
import type { App } from '../app.ts';
import { replayEvent, toProto } from './chat-events.sql.ts';

export async function replayChatEvent(app: Pick<App, 'db' | 'deliveryStored'>, { id }: ReplayChatEventRequest) {
  if (!isUuid(id)) fail('NOT_FOUND', 'Event not found');
  const event = found(await asSystem(app.db, (tx) => replayEvent(tx, id)), 'Event');
  app.deliveryStored.notify();
  return toProto(event);
}
