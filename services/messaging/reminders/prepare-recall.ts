// A recall message is written by dental at the moment of sending: the patient may have come, or wants no more of them.
import { randomUUID } from 'node:crypto';
import { serviceCaller } from '@clinic/lib/rpc/caller.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import { RecallService } from '@clinic/proto/dental/v1/recall_pb.js';
import { createClient } from '@connectrpc/connect';
import type { Prepare } from '../outbound/prepare.ts';

/** The template that clinics have approved for recalls: its text is one variable. */
const TEMPLATE = { name: 'recall_message', language: 'es' };

export const prepareRecall: Prepare = async (app, outbound) => {
  const recall = createClient(RecallService, app.neighbour('dental'));
  const message = await recall.renderRecallMessage({ contactId: outbound.reference ?? '' }, callAs(serviceCaller('messaging', randomUUID())));
  if (!message.send) return { drop: message.reason || 'taken_back' };
  return {
    phone: message.phone,
    content: { type: 'text', text: message.text },
    outsideWindow: { type: 'template', ...TEMPLATE, variables: [message.text], text: message.text },
  };
};
