// The token of a link that works without sign-in. It contains the ids of the clinic and the record, signed for one purpose, and nothing about a
// person. It does not expire: the state of the record decides what its holder may do.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { NamedKey } from '../config/config.ts';
import { currentKey } from './crypto.ts';
import { deriveKey } from './derive-key.ts';

const VERSION = Buffer.of(1);
const ID_BYTES = 16;
const MAC_BYTES = 16;
const LENGTH = VERSION.length + 2 * ID_BYTES + MAC_BYTES;

/** The form of a token, in base64url. */
export const LINK_TOKEN = /^[\w-]{66}$/;

/** What the link is for. The signing key depends on it, so that a token for one purpose is invalid for the others. */
type LinkPurpose = 'clinic appointment' | 'clinic check-in' | 'clinic form' | 'clinic prescription';
type Linked = { clinicId: string; id: string };

/** Creates the token. */
export function linkToken(keys: NamedKey[], purpose: LinkPurpose, { clinicId, id }: Linked): string {
  const body = Buffer.concat([VERSION, toBytes(clinicId), toBytes(id)]);
  return Buffer.concat([body, mac(currentKey(keys), purpose, body)]).toString('base64url');
}

/** The ids in the token, or undefined unless a key of the ring has signed it for the purpose. */
export function parseLinkToken(keys: NamedKey[], purpose: LinkPurpose, token: string): Linked | undefined {
  const bytes = Buffer.from(token, 'base64url');
  if (bytes.length !== LENGTH || bytes.toString('base64url') !== token) return undefined;
  const [body, given] = [bytes.subarray(0, LENGTH - MAC_BYTES), bytes.subarray(LENGTH - MAC_BYTES)];
  if (!body.subarray(0, VERSION.length).equals(VERSION)) return undefined;
  if (!keys.some((key) => timingSafeEqual(given, mac(key, purpose, body)))) return undefined;
  return { clinicId: toUuid(body.subarray(1, 1 + ID_BYTES)), id: toUuid(body.subarray(1 + ID_BYTES)) };
}

/** Tokens in a text, also those that are cut off at its end but after the ids, so that a part of the signature is left. */
const TOKENS = /(?<![\w-])A[Q-Za-f][\w-]{43,64}(?![\w-])/g;

/** The text without the tokens in it. */
export const removeLinkTokens = (text: string) => text.replaceAll(TOKENS, '…');

const signingKeys = new WeakMap<Buffer, Map<string, Buffer>>();

/** Signs with a derived key, since the keys of the ring encrypt personal data. */
function mac({ key }: NamedKey, purpose: LinkPurpose, body: Buffer): Buffer {
  const derivedKeys = signingKeys.get(key) ?? new Map<string, Buffer>();
  signingKeys.set(key, derivedKeys);
  const derived = derivedKeys.get(purpose) ?? deriveKey(key, purpose);
  derivedKeys.set(purpose, derived);
  return createHmac('sha256', derived).update(body).digest().subarray(0, MAC_BYTES);
}

const toBytes = (uuid: string) => Buffer.from(uuid.replaceAll('-', ''), 'hex');
const toUuid = (bytes: Buffer) => bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
