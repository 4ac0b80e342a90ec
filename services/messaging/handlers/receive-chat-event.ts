// Stores a delivery, nothing else: the provider waits, and what is stored is worked on in its turn.
import { readSystem } from '@clinic/lib/db.ts';
import type { ReceiveChatEventRequest } from '@clinic/proto/messaging/v1/chat_event_pb.js';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import { insertEventStatement } from '../sql/chat-events.ts';
import { sealEvent } from '../sql/sealed.ts';

export async function receiveChatEvent(app: App, { body }: ReceiveChatEventRequest) {
  const id = v7();
  app.storing.add(id);
  try {
    // As the system: which clinics it speaks of is not known yet.
    await readSystem(app.door, insertEventStatement, [id, sealEvent(app.keys, id, body), body.length]);
  } finally {
    app.storing.delete(id);
  }
  app.arrived.ring();
  return {};
}
