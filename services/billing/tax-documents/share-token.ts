// The signed token in a mailed link: the document, until when the link is valid, and how often the document's links had been revoked. A token
// is valid only while the key that signed it is in the key ring.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { NamedKey } from '@clinic/lib/config/config.ts';
import { currentKey } from '@clinic/lib/crypto/crypto.ts';
import { deriveKey } from '@clinic/lib/crypto/derive-key.ts';

const VERSION = 2;
/** Tokens of earlier releases, which contain neither the revocations, which were 0, nor the expiry. */
const VERSION_WITHOUT_EXPIRY = 1;
const ID_BYTES = 16;
const MAC_BYTES = 16;

type SharedDocument = { clinicId: string; documentId: string; revocations: number; expiresAt?: Date };

/** When a link that is mailed at this instant expires. */
export const linkExpiry = (mailedAt: Date, days: number): Date => new Date(mailedAt.getTime() + days * 86_400_000);

/** 76 characters of base64url. */
export function encodeShareToken(keys: NamedKey[], { clinicId, documentId, revocations, expiresAt }: Required<SharedDocument>): string {
  const numbers = Buffer.alloc(8);
  numbers.writeUInt32BE(revocations);
  numbers.writeUInt32BE(Math.floor(expiresAt.getTime() / 1000), 4);
  const body = Buffer.concat([Buffer.of(VERSION), toBytes(clinicId), toBytes(documentId), numbers]);
  return Buffer.concat([body, mac(currentKey(keys), body)]).toString('base64url');
}

/** Undefined when no key of the ring has signed the token. */
export function decodeShareToken(keys: NamedKey[], token: string): SharedDocument | undefined {
  const bytes = Buffer.from(token, 'base64url');
  const [body, signature] = [bytes.subarray(0, -MAC_BYTES), bytes.subarray(-MAC_BYTES)];
  if (signature.length !== MAC_BYTES || bytes.toString('base64url') !== token || !keys.some((key) => timingSafeEqual(signature, mac(key, body))))
    return undefined;
  const ids = { clinicId: toUuid(body.subarray(1, 1 + ID_BYTES)), documentId: toUuid(body.subarray(1 + ID_BYTES, 1 + 2 * ID_BYTES)) };
  if (body[0] === VERSION_WITHOUT_EXPIRY) return { ...ids, revocations: 0 };
  const numbers = body.subarray(1 + 2 * ID_BYTES);
  return { ...ids, revocations: numbers.readUInt32BE(), expiresAt: new Date(numbers.readUInt32BE(4) * 1000) };
}

/** Signs with a derived key, since the ring's own keys encrypt personal data. */
function mac({ key }: NamedKey, body: Buffer): Buffer {
  const derived = deriveKey(key, 'clinic tax document link');
  return createHmac('sha256', derived).update(body).digest().subarray(0, MAC_BYTES);
}

const toBytes = (uuid: string) => Buffer.from(uuid.replaceAll('-', ''), 'hex');
const toUuid = (bytes: Buffer) => bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
