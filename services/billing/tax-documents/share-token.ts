// The token in the link of a mail: clinic and document, signed. It is valid for as long as its key is in the key ring.
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { NamedKey } from '@clinic/lib/config/config.ts';

const VERSION = Buffer.of(1);
const ID_BYTES = 16;
const MAC_BYTES = 16;
const LENGTH = VERSION.length + 2 * ID_BYTES + MAC_BYTES;

export type SharedDocument = { clinicId: string; documentId: string };

/** 66 characters of base64url. */
export function encodeShareToken(keys: NamedKey[], { clinicId, documentId }: SharedDocument): string {
  const [key] = keys;
  if (!key) throw new Error('the key ring is empty');
  const body = Buffer.concat([VERSION, toBytes(clinicId), toBytes(documentId)]);
  return Buffer.concat([body, mac(key, body)]).toString('base64url');
}

/** Undefined when no key of the ring has signed the token. */
export function decodeShareToken(keys: NamedKey[], token: string): SharedDocument | undefined {
  const bytes = Buffer.from(token, 'base64url');
  if (bytes.length !== LENGTH || bytes.toString('base64url') !== token) return undefined;
  const [body, given] = [bytes.subarray(0, LENGTH - MAC_BYTES), bytes.subarray(LENGTH - MAC_BYTES)];
  if (!body.subarray(0, VERSION.length).equals(VERSION) || !keys.some((key) => timingSafeEqual(given, mac(key, body)))) return undefined;
  return { clinicId: toUuid(body.subarray(1, 1 + ID_BYTES)), documentId: toUuid(body.subarray(1 + ID_BYTES)) };
}

/** Signs with a derived key, since the ring's own keys encrypt personal data. */
function mac({ key }: NamedKey, body: Buffer): Buffer {
  const derived = Buffer.from(hkdfSync('sha256', key, '', 'clinic tax document link', 32));
  return createHmac('sha256', derived).update(body).digest().subarray(0, MAC_BYTES);
}

const toBytes = (uuid: string) => Buffer.from(uuid.replaceAll('-', ''), 'hex');
const toUuid = (bytes: Buffer) => bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
