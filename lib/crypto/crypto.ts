// Encryption of single values: AES-256-GCM with a key of a key ring, bound to the row and column of the value.
import { createCipheriv, createDecipheriv, createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import type { NamedKey } from '../config/config.ts';
import { deriveKey } from './derive-key.ts';

const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The key that encrypts and signs: the first of the ring. */
export function currentKey([first]: NamedKey[]): NamedKey {
  if (!first) throw new Error('ENCRYPTION_KEYS is empty');
  return first;
}

/**
 * Encrypts with the first key of the ring. `context` names clinic, table, row and column; decrypt() needs the same. Layout of the result:
 * version (1 byte), length of the key id (1 byte), key id, nonce (12 bytes), tag (16 bytes), ciphertext.
 */
export function encrypt(keys: NamedKey[], plaintext: string | Uint8Array, context: string): Buffer {
  const { id, key } = currentKey(keys);
  const header = Buffer.concat([Buffer.from([VERSION, Buffer.byteLength(id)]), Buffer.from(id)]);
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', fieldKey(key), nonce).setAAD(authenticatedData(header, context));
  const body = Buffer.concat([cipher.update(Buffer.from(plaintext)), cipher.final()]);
  return Buffer.concat([header, nonce, cipher.getAuthTag(), body]);
}

/** The value was encrypted with a key that is not in the ring of this process. */
class UnknownKeyError extends Error {
  readonly code = 'ENCRYPTION_KEY_UNKNOWN';
  constructor(keyId: string) {
    super(`ENCRYPTION_KEYS has no key with the id ${JSON.stringify(keyId)}`);
  }
}

/** Reverses encrypt(). Throws when the value was changed or has another context, or when its key is not in the ring. */
export const decrypt = (keys: NamedKey[], encrypted: Uint8Array, context: string): string => decryptBytes(keys, encrypted, context).toString('utf8');

/** decrypt() for bytes. */
export function decryptBytes(keys: NamedKey[], encrypted: Uint8Array, context: string): Buffer {
  const { keyId, header, rest } = parse(encrypted);
  const key = keys.find(({ id }) => id === keyId);
  if (!key) throw new UnknownKeyError(keyId);
  if (rest.length < NONCE_BYTES + TAG_BYTES) throw new Error('the encrypted value is too short');
  const decipher = createDecipheriv('aes-256-gcm', fieldKey(key.key), rest.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
    .setAAD(authenticatedData(header, context))
    .setAuthTag(rest.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  return Buffer.concat([decipher.update(rest.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
}

/**
 * A blind index: an HMAC by which an encrypted value can be found. `context` names clinic and column, so that equal values of two clinics
 * have different indexes. The caller normalises the value first.
 */
export function blindIndex(key: NamedKey, context: string, value: string): Buffer {
  return createHmac('sha256', blindKey(key.key, context)).update(value, 'utf8').digest();
}

/** The blind indexes with every key of the ring, for `= any($1)` during a key rotation. The first is the one to store. */
export function blindIndexes(keys: NamedKey[], context: string, value: string): Buffer[] {
  return keys.map((key) => blindIndex(key, context, value));
}

// Encryption and blind indexes use keys derived from the ring's key, one for each purpose. KeyObjects are cached, because the same operations take 3
// to 9 times as long with plain bytes.
const fieldKeys = new WeakMap<Buffer, KeyObject>();

function fieldKey(key: Buffer): KeyObject {
  const known = fieldKeys.get(key);
  if (known) return known;
  const derived = createSecretKey(deriveKey(key, 'clinic field encryption'));
  fieldKeys.set(key, derived);
  return derived;
}

// Deriving a key takes several times as long as the HMAC, and bulk work needs the key of one clinic again and again.
const blindKeys = new WeakMap<Buffer, Map<string, KeyObject>>();
const MAX_BLIND_KEYS = 1_000;

function blindKey(key: Buffer, context: string): KeyObject {
  const known = blindKeys.get(key) ?? new Map<string, KeyObject>();
  blindKeys.set(key, known);
  const found = known.get(context);
  if (found) return found;
  if (known.size >= MAX_BLIND_KEYS) known.clear();
  const derived = createSecretKey(deriveKey(key, `clinic blind index:${context}`));
  known.set(context, derived);
  return derived;
}

const authenticatedData = (header: Buffer, context: string) => Buffer.concat([header, Buffer.from(context, 'utf8')]);

function parse(encrypted: Uint8Array) {
  const bytes = Buffer.from(encrypted.buffer, encrypted.byteOffset, encrypted.byteLength);
  const end = 2 + (bytes[1] ?? 0);
  if (bytes[0] !== VERSION || bytes.length < end) throw new Error('not an encrypted value of a known version');
  return { keyId: bytes.toString('utf8', 2, end), header: bytes.subarray(0, end), rest: bytes.subarray(end) };
}
