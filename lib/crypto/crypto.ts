// Personal fields are sealed at rest: AES-256-GCM under a key ring, bound to the place where the value belongs.
import { createCipheriv, createDecipheriv, createHmac, createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';
import type { NamedKey } from '../config/config.ts';

const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Seals a text under the first key of the ring. `context` names where it belongs (clinic, table, row, column): the value
 * opens nowhere else. Layout: version, length of the key id, key id, nonce, tag, ciphertext.
 */
export function encrypt(keys: NamedKey[], plaintext: string, context: string): Buffer {
  const { id, key } = firstOf(keys);
  const header = Buffer.concat([Buffer.from([VERSION, Buffer.byteLength(id)]), Buffer.from(id)]);
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', fieldKey(key), nonce).setAAD(bound(header, context));
  const body = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()]);
  return Buffer.concat([header, nonce, cipher.getAuthTag(), body]);
}

/** The value was encrypted under a key that this process was not given. */
class UnknownKey extends Error {
  readonly code = 'ENCRYPTION_KEY_UNKNOWN';
  constructor(keyId: string) {
    super(`ENCRYPTION_KEYS has no key with the id ${JSON.stringify(keyId)}`);
  }
}

/** The text that seal() was given. Throws when it was changed, belongs elsewhere, or its key is not in the ring. */
export function decrypt(keys: NamedKey[], sealed: Uint8Array, context: string): string {
  const { keyId, header, rest } = parse(sealed);
  const key = keys.find(({ id }) => id === keyId);
  if (!key) throw new UnknownKey(keyId);
  if (rest.length < NONCE_BYTES + TAG_BYTES) throw new Error('the sealed value is cut short');
  const decipher = createDecipheriv('aes-256-gcm', fieldKey(key.key), rest.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
    .setAAD(bound(header, context))
    .setAuthTag(rest.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  return Buffer.concat([decipher.update(rest.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8');
}

/** Whether the value was sealed under another key than the ring's first. */
export function needsReencryption(keys: NamedKey[], sealed: Uint8Array): boolean {
  return parse(sealed).keyId !== firstOf(keys).id;
}

/**
 * A keyed fingerprint to look a sealed value up by. `context` names clinic and column, so that equal values of two
 * clinics have nothing in common. The caller normalises the value first.
 */
export function blindIndex(key: NamedKey, context: string, value: string): Buffer {
  return createHmac('sha256', blindKey(key.key, context)).update(value, 'utf8').digest();
}

/** The fingerprints under every key of the ring, for `= any($1)` while a rotation is under way; the first is the one to store. */
export function blindIndexes(keys: NamedKey[], context: string, value: string): Buffer[] {
  return keys.map((key) => blindIndex(key, context, value));
}

function firstOf(keys: NamedKey[]): NamedKey {
  const [key] = keys;
  if (!key) throw new Error('the key ring is empty');
  return key;
}

// One purpose a key: what seals never signs, so the ring's key itself is used for neither. As key objects, which are prepared
// once: with bytes the same work takes 3 to 9 times as long.
const fieldKeys = new WeakMap<Buffer, KeyObject>();

function fieldKey(key: Buffer): KeyObject {
  const known = fieldKeys.get(key);
  if (known) return known;
  const derived = createSecretKey(Buffer.from(hkdfSync('sha256', key, '', 'clinic field encryption', 32)));
  fieldKeys.set(key, derived);
  return derived;
}

// Deriving takes several times as long as the fingerprint itself, and work in bulk stays with one clinic.
const blindKeys = new WeakMap<Buffer, Map<string, KeyObject>>();
const MOST_BLIND_KEYS = 1_000;

function blindKey(key: Buffer, context: string): KeyObject {
  const known = blindKeys.get(key) ?? new Map<string, KeyObject>();
  blindKeys.set(key, known);
  const found = known.get(context);
  if (found) return found;
  if (known.size >= MOST_BLIND_KEYS) known.clear();
  const derived = createSecretKey(Buffer.from(hkdfSync('sha256', key, '', `clinic blind index:${context}`, 32)));
  known.set(context, derived);
  return derived;
}

const bound = (header: Buffer, context: string) => Buffer.concat([header, Buffer.from(context, 'utf8')]);

function parse(sealed: Uint8Array) {
  const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
  const end = 2 + (bytes[1] ?? 0);
  if (bytes[0] !== VERSION || bytes.length < end) throw new Error('not a sealed value of a known version');
  return { keyId: bytes.toString('utf8', 2, end), header: bytes.subarray(0, end), rest: bytes.subarray(end) };
}
