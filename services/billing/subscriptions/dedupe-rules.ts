// The key by which a repeated event of the payment provider is recognized.
import { createHash } from 'node:crypto';
import { parseBody } from './parse-event-rules.ts';
import { objectOf } from './third-party-json-rules.ts';

/** The provider's event id with the event's subject, so that two events which share an id are both stored; without an id, a hash of the body. */
export function dedupeKey(body: Uint8Array): string {
  const root = parseBody(body);
  const { webhook_id, event_name } = objectOf(root?.meta);
  if (typeof webhook_id !== 'string' || webhook_id === '') return `body:${sha256(body)}`;
  const { type, id, attributes } = objectOf(root?.data);
  return `event:${sha256(JSON.stringify([webhook_id, event_name, type, id, objectOf(attributes).updated_at]))}`;
}

const sha256 = (data: Uint8Array | string) => createHash('sha256').update(data).digest('hex');
