// What makes an event of the provider itself, so that a repeat is known.
import { createHash } from 'node:crypto';
import { readBody } from './parse-event-rules.ts';
import { objectOf } from './third-party-json-rules.ts';

/**
 * By the provider's id of the event, together with what it is about: should two events ever share an id, neither is lost.
 * Without one by the bytes themselves.
 */
export function dedupeKey(body: Uint8Array): string {
  const root = readBody(body);
  const { webhook_id, event_name } = objectOf(root?.meta);
  if (typeof webhook_id !== 'string' || webhook_id === '') return `body:${sha256(body)}`;
  const { type, id, attributes } = objectOf(root?.data);
  return `event:${sha256(JSON.stringify([webhook_id, event_name, type, id, objectOf(attributes).updated_at]))}`;
}

const sha256 = (data: Uint8Array | string) => createHash('sha256').update(data).digest('hex');
