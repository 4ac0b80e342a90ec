// A recall message, written by dental at the moment of sending: the patient may have come meanwhile, or opted out.
import { randomUUID } from 'node:crypto';
import { serviceCaller } from '@clinic/lib/rpc/caller.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import { KINDS } from '../outbound/message-kinds-rules.ts';
import type { Prepare } from '../outbound/prepare.ts';

/** The approved template for recalls; its text is one variable. */
const TEMPLATE = { name: 'recall_message', language: 'es' };

export const prepareRecall: Prepare<'recall'> = async (app, _clinicId, { contactId }) => {
  const { send, reason, phone, text } = await app.dental.recall.renderRecallMessage({ contactId }, callAs(serviceCaller('messaging', randomUUID())));
  if (!send) return { drop: KINDS.recall.dropsWhen.find((known) => known === reason) ?? 'withdrawn' };
  return { phone, content: { text }, outsideWindow: { ...TEMPLATE, variables: [text] } };
};
