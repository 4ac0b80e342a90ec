// The assertion names the caller on whose behalf a call is made. The gateway signs it (Ed25519) after its access check; services verify it and pass
// it on, and cannot create one. Signing and verifying take up to 100 µs, so both sides cache recent assertions; the request id, which differs in
// each call, is therefore in the hop token.
import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { Remembered } from '../background/remembered.ts';
import type { NamedKey } from '../config/config.ts';
import type { Caller } from './caller.ts';
import { decodeJson, encodeJson } from './mac.ts';

type Asserted = Omit<Caller, 'requestId'>;

/** An assertion is valid for the time limit of the call and LIFETIME_MS. The gateway reuses it while at least RENEWED_MS of the latter are left. */
const LIFETIME_MS = 90_000;
const RENEWED_MS = 30_000;
const MAX_REMEMBERED = 5_000;
const PURPOSE = 'clinic assertion 1\n';

/** `<key id>.<base64url JSON>.<Ed25519 signature>`: valid for calls that end within `timeoutMs`. */
export type SignAssertion = (caller: Caller, timeoutMs: number) => string;

export function createAssertionSigner(keys: NamedKey[], now = Date.now): SignAssertion {
  const [first] = keys;
  if (!first) throw new Error('ASSERTION_KEYS is empty');
  const key = privateKeyOf(first.key);
  const made = new Remembered<{ token: string; expires: number }>(MAX_REMEMBERED);
  return ({ requestId: _, ...asserted }, timeoutMs) => {
    const subject = JSON.stringify(asserted);
    const known = made.get(subject);
    if (known && known.expires >= now() + timeoutMs + RENEWED_MS) return known.token;
    const expires = now() + timeoutMs + LIFETIME_MS;
    const body = `${first.id}.${encodeJson({ ...asserted, expires })}`;
    const token = `${body}.${sign(null, Buffer.from(PURPOSE + body), key).toString('base64url')}`;
    made.set(subject, { token, expires });
    return token;
  };
}

type Verified = { asserted: Asserted; expires: number };

/** The caller in the token and when it expires, in milliseconds since 1970; undefined when the token is malformed or forged. */
export type VerifyAssertion = (token: string) => Verified | undefined;

export function createAssertionVerifier(keys: NamedKey[]): VerifyAssertion {
  const publicKeys = new Map(keys.map(({ id, key }) => [id, publicKeyOf(key)]));
  const verified = new Remembered<Verified>(MAX_REMEMBERED);

  function check(token: string) {
    const [id = '', payload = '', signature = '', ...rest] = token.split('.');
    const key = publicKeys.get(id);
    if (!key || rest.length > 0) return undefined;
    if (!verify(null, Buffer.from(`${PURPOSE}${id}.${payload}`), key, Buffer.from(signature, 'base64url'))) return undefined;
    const { expires, ...asserted } = decodeJson(payload) as Asserted & { expires: number };
    verified.set(token, { asserted, expires });
    return { asserted, expires };
  }
  return (token) => verified.get(token) ?? check(token);
}

// The fixed prefix of an Ed25519 private key in DER (PKCS #8), since Node does not read the 32 raw bytes.
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** The private key of 32 random bytes. */
function privateKeyOf(seed: Buffer): KeyObject {
  return createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' });
}

const publicKeyOf = (key: Buffer) => createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: key.toString('base64url') }, format: 'jwk' });

/** The 32 bytes of the public key that belongs to a private one. */
export function publicBytes(seed: Buffer): Buffer {
  return Buffer.from(createPublicKey(privateKeyOf(seed)).export({ format: 'jwk' }).x ?? '', 'base64url');
}
