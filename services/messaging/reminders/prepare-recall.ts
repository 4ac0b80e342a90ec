// A recall message is written by dental at the moment of sending: the patient may have come, or wants no more of them.
import { randomUUID } from 'node:crypto';
import { serviceCaller } from '@clinic/lib/rpc/caller.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import type { Prepare } from '../outbound/prepare.ts';

/** The template that clinics have approved for recalls: its text is one variable. */
const TEMPLATE = { name: 'recall_message', language: 'es' };

export const prepareRecall: Prepare<'recall'> = async (app, _clinicId, { contactId }) => {
  const message = await app.dental.recall.renderRecallMessage({ contactId }, callAs(serviceCaller('messaging', randomUUID())));
  if (!message.send) return { drop: message.reason || 'taken_back' };
  return {
    phone: message.phone,
    content: { type: 'text', text: message.text },
    outsideWindow: { type: 'template', ...TEMPLATE, variables: [message.text], text: message.text },
  };
};
