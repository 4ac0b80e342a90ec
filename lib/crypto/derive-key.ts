// Derives keys by purpose: HKDF-SHA256 (RFC 5869) without a salt.
import { hash } from 'node:crypto';

/**
 * 32 bytes that depend on the secret and the purpose: hkdfSync('sha256', secret, '', purpose, 32) of Node, which takes three times as long. That matters
 * because each call with an Idempotency-Key derives four keys.
 */
export function deriveKey(secret: string | Uint8Array, purpose: string): Buffer {
  return hmac(hmac(Buffer.alloc(0), Buffer.from(secret)), Buffer.from(`${purpose}\x01`));
}

/** HMAC-SHA256 with a key of at most 64 bytes, the size of a block. */
const hmac = (key: Uint8Array, message: Uint8Array) => sha256(padded(key, 0x5c), sha256(padded(key, 0x36), message));
const sha256 = (block: Uint8Array, message: Uint8Array) => hash('sha256', Buffer.concat([block, message]), 'buffer');

function padded(key: Uint8Array, pad: number): Buffer {
  const block = Buffer.alloc(64, pad);
  for (const [index, byte] of key.entries()) block[index] = byte ^ pad;
  return block;
}
