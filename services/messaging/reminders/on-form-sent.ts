// The link of a form is sent by chat: stores the message.
import { subscribe } from '@clinic/lib/events/events.ts';
import { FormSentSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import type { App } from '../app.ts';
import { sendLater } from '../outbound/send.ts';

export const onFormSent = (app: App) =>
  subscribe('form-sent', 'scheduling', FormSentSchema, (tx, { formId, sendId }, { clinicId }) =>
    sendLater(tx, clinicId, { kind: 'form', formId, sendId }, { priority: 0 }, app.clock.now()),
  );
