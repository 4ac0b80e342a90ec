// Secrets of webhook endpoints, and signatures made with them (Standard Webhooks, https://www.standardwebhooks.com).
import { createHmac, randomBytes } from 'node:crypto';
import type { NamedKey } from '@clinic/lib/config/config.ts';
import { decrypt, encrypt } from '@clinic/lib/crypto/crypto.ts';

const PREFIX = 'whsec_';

export const newSecret = () => PREFIX + randomBytes(32).toString('base64');

/** The previous secret has the same encryption context, because the current secret is copied to it. */
export const secretContext = (clinicId: string, id: string) => `${clinicId}/webhook_endpoints/${id}`;
type Owner = { clinic_id: string; id: string };
export const encryptSecret = (keys: NamedKey[], { clinic_id, id }: Owner, secret: string) => encrypt(keys, secret, secretContext(clinic_id, id));
export const decryptSecret = (keys: NamedKey[], { clinic_id, id }: Owner, ciphertext: Buffer) => decrypt(keys, ciphertext, secretContext(clinic_id, id));

/** The headers of a delivery, with one signature for each secret. */
export function signedHeaders(messageId: string, payload: string, secrets: string[], now: Date): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const content = `${messageId}.${timestamp}.${payload}`;
  const sign = (secret: string) =>
    `v1,${createHmac('sha256', Buffer.from(secret.slice(PREFIX.length), 'base64'))
      .update(content)
      .digest('base64')}`;
  return { 'webhook-id': messageId, 'webhook-timestamp': timestamp, 'webhook-signature': secrets.map(sign).join(' ') };
}
