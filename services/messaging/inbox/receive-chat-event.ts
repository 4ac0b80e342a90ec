// Stores a delivery, nothing else: the provider waits, and what is stored is worked on in its turn.
import type { ReceiveChatEventRequest } from '@clinic/proto/messaging/v1/chat_event_pb.js';
import type { App } from '../app.ts';

export async function receiveChatEvent(app: App, { body }: ReceiveChatEventRequest) {
  await app.deliveryStore.store(body);
  return {};
}
