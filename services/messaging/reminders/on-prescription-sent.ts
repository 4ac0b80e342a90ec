// A prescription is sent by chat: stores the message with its link.
import { subscribe } from '@clinic/lib/events/events.ts';
import { PrescriptionSentSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import type { App } from '../app.ts';
import { sendLater } from '../outbound/send.ts';

export const onPrescriptionSent = (app: App) =>
  subscribe('prescription-sent', 'scheduling', PrescriptionSentSchema, (tx, { linkId }, { clinicId }) =>
    sendLater(tx, clinicId, { kind: 'prescription', linkId }, { priority: 0 }, app.clock.now()),
  );
