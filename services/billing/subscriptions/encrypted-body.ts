// The raw event is sealed for its row, since it holds the names and addresses of people. It need not be text: hence base64.
import { decrypt, encrypt } from '@clinic/lib/crypto/crypto.ts';
import type { App } from '../app.ts';

export const bodyContext = (eventId: string) => `billing:payment_events:${eventId}:body`;

export function sealBody(app: App, eventId: string, body: Uint8Array): Buffer {
  return encrypt(app.keys, Buffer.from(body).toString('base64'), bodyContext(eventId));
}

export function openBody(app: App, eventId: string, sealed: Buffer): Buffer {
  return Buffer.from(decrypt(app.keys, sealed, bodyContext(eventId)), 'base64');
}
