// A recall message is due: stores it to be sent.
import { subscribe } from '@clinic/lib/events/events.ts';
import { RecallMessageDueSchema } from '@clinic/proto/events/v1/recall_pb.js';
import type { App } from '../app.ts';
import { sendLater } from '../outbound/send.ts';

export const onRecallMessageDue = (app: App) =>
  subscribe('recall-message-due', 'dental', RecallMessageDueSchema, (tx, { contactId }, { clinicId }) =>
    sendLater(tx, clinicId, { kind: 'recall', contactId }, { priority: 2 }, app.clock.now()),
  );
