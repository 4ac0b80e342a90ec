// Encryption of contents that are too large for memory: AES-256-GCM chunk by chunk, with a separate key for each content. That key is stored
// encrypted (crypto.ts), so that rotating the key ring does not touch the content. The number of the chunk is its nonce, so chunks cannot be
// swapped; the reader knows the size, so none can be missing at the end.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** Bytes of plaintext in every chunk except the last. */
export const CONTENT_CHUNK_BYTES = 64 * 1024;
const TAG_BYTES = 16;
const ENCRYPTED_CHUNK_BYTES = CONTENT_CHUNK_BYTES + TAG_BYTES;

/** A new key as base64. It must encrypt one content only. */
export const newContentKey = (): string => randomBytes(32).toString('base64');

export const chunkCount = (size: number) => Math.ceil(size / CONTENT_CHUNK_BYTES);
export const encryptedSize = (size: number) => size + chunkCount(size) * TAG_BYTES;
export const decryptedSize = (size: number) => size - Math.ceil(size / ENCRYPTED_CHUNK_BYTES) * TAG_BYTES;

/** Layout of the result: ciphertext, tag (16 bytes). */
export function encryptChunk(key: string, seq: number, content: Uint8Array): Buffer {
  const cipher = createCipheriv('aes-256-gcm', Buffer.from(key, 'base64'), nonceOf(seq));
  return Buffer.concat([cipher.update(content), cipher.final(), cipher.getAuthTag()]);
}

/** Throws when the chunk was changed, or is not the one with this number. */
export function decryptChunk(key: string, seq: number, encrypted: Uint8Array): Buffer {
  if (encrypted.length < TAG_BYTES) throw new Error('the encrypted chunk is too short');
  const body = encrypted.length - TAG_BYTES;
  const decipher = createDecipheriv('aes-256-gcm', Buffer.from(key, 'base64'), nonceOf(seq), { authTagLength: TAG_BYTES });
  decipher.setAuthTag(encrypted.subarray(body));
  return Buffer.concat([decipher.update(encrypted.subarray(0, body)), decipher.final()]);
}

/** The chunks of a content that is in memory, encrypted. */
export function* encryptContent(key: string, content: Uint8Array): Generator<Buffer> {
  for (let seq = 0; seq < chunkCount(content.length); seq++)
    yield encryptChunk(key, seq, content.subarray(seq * CONTENT_CHUNK_BYTES, (seq + 1) * CONTENT_CHUNK_BYTES));
}

/** The chunks of a content of `size` bytes, decrypted as they arrive. Throws when one was changed, or when the content is shorter or longer. */
export async function* decryptContent(key: string, size: number, encrypted: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let held: Uint8Array[] = [];
  let length = 0;
  let seq = 0;
  let left = size;
  const decryptNext = (chunk: Uint8Array) => {
    const content = decryptChunk(key, seq++, chunk);
    left -= content.length;
    return content;
  };
  for await (const bytes of encrypted) {
    held.push(bytes);
    length += bytes.length;
    if (length < ENCRYPTED_CHUNK_BYTES) continue;
    let rest = Buffer.concat(held);
    for (; rest.length >= ENCRYPTED_CHUNK_BYTES; rest = rest.subarray(ENCRYPTED_CHUNK_BYTES)) yield decryptNext(rest.subarray(0, ENCRYPTED_CHUNK_BYTES));
    held = [rest];
    length = rest.length;
  }
  if (length > 0) yield decryptNext(Buffer.concat(held));
  if (left !== 0) throw new Error('the encrypted content is shorter or longer than its stored size');
}

function nonceOf(seq: number): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUInt32BE(seq, 8);
  return nonce;
}
