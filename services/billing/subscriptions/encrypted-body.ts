// Encrypts the bodies of payment events, which contain names and addresses, as base64: stored events have this form.
import { decrypt, encrypt } from '@clinic/lib/crypto/crypto.ts';
import type { App } from '../app.ts';

export const bodyContext = (eventId: string) => `billing:payment_events:${eventId}:body`;

export function encryptBody(app: App, eventId: string, body: Uint8Array): Buffer {
  return encrypt(app.keys, Buffer.from(body).toString('base64'), bodyContext(eventId));
}

export function decryptBody(app: App, eventId: string, ciphertext: Buffer): Buffer {
  return Buffer.from(decrypt(app.keys, ciphertext, bodyContext(eventId)), 'base64');
}
