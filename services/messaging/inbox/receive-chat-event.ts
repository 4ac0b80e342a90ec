// Stores a delivery and does nothing else, since the provider waits for the response.
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { ReceiveChatEventRequest } from '@clinic/proto/messaging/v1/chat_event_pb.js';
import type { App } from '../app.ts';

export async function receiveChatEvent(app: App, { body }: ReceiveChatEventRequest, { deadline }: Pick<Call, 'deadline'>) {
  await app.deliveryStore.store(body, deadline);
  return {};
}
