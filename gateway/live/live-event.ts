// An event as the clinic's screens hear of it: ids and states, never personal data.

import { EVENT_ID_HEADER } from '@clinic/lib/events/published-stream.ts';
import type { MsgHdrs } from 'nats';

export type LiveEvent = { id: string; clinicId: string; text: string };

/** Events that screens are told of, by producer. */
const TOLD: Record<string, RegExp> = {
  scheduling: /^(appointment|waitlist)-/,
  messaging: /^(message|conversation|outbound-message)-/,
  identity: /^subscription-/,
};

/** The event of a message, ready to be written to streams; undefined for what screens are not told. */
export function toLiveEvent(subject: string, headers: MsgHdrs | undefined, payload: string): LiveEvent | undefined {
  const [, clinicId = '', producer = '', token = ''] = subject.split('.');
  const id = headers?.get(EVENT_ID_HEADER);
  if (!id || !TOLD[producer]?.test(token)) return undefined;
  const data = JSON.stringify(snakeCase(JSON.parse(payload)));
  return { id, clinicId, text: `id: ${id}\nevent: ${token.replaceAll('-', '_')}\ndata: ${data}\n\n` };
}

/** Milliseconds in which a UUIDv7 was made. */
export const createdAt = (id: string) => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);

/** Public JSON spells its keys in snake_case. */
function snakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snakeCase);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), snakeCase(inner)]));
}
