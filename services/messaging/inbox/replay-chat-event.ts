// Has a delivery processed again, on request of an operator.
import { audit } from '@clinic/lib/audit/audit.ts';
import { asSystem } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { ReplayChatEventRequest } from '@clinic/proto/messaging/v1/chat_event_pb.js';
import { NIL } from 'uuid';
import type { App } from '../app.ts';
import { replayEvent, toProto } from './chat-events.sql.ts';

export async function replayChatEvent(app: Pick<App, 'db' | 'deliveryStored'>, { id }: ReplayChatEventRequest, { caller }: Call) {
  if (!isUuid(id)) fail('NOT_FOUND', 'Event not found');
  const event = await asSystem(app.db, async (tx) => {
    const replayed = found(await replayEvent(tx, id), 'Event');
    await audit(tx, NIL, caller, { action: 'chat_event.replayed', entityId: id });
    return replayed;
  });
  app.deliveryStored.notify();
  return toProto(event);
}
