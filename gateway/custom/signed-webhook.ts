// Bodies of webhooks, signed by whoever sends them. The signature is of the bytes as they came, so they are checked before
// anything reads them.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { fail } from '@clinic/lib/errors/errors.ts';
import { readBytes } from '../http/json.ts';

export type Signed = {
  secret: string;
  /** Header with the HMAC-SHA256 in hex, in lower case. */
  header: string;
  /** What stands before the hex. */
  prefix: string;
  maxBytes: number;
};

/** The bytes of the body. INVALID_SIGNATURE when they are not signed with the secret, PAYLOAD_TOO_LARGE above the limit. */
export async function readSigned(request: IncomingMessage, { secret, header, prefix, maxBytes }: Signed): Promise<Uint8Array> {
  const body = await readBytes(request, maxBytes);
  const given = request.headers[header];
  const expected = createHmac('sha256', secret).update(body).digest();
  if (typeof given !== 'string' || !given.startsWith(prefix) || !isHexOf(given.slice(prefix.length), expected)) fail('INVALID_SIGNATURE');
  return body;
}

/** In constant time for every text of the right form. */
function isHexOf(hex: string, expected: Buffer): boolean {
  return /^[0-9a-f]{64}$/i.test(hex) && timingSafeEqual(Buffer.from(hex, 'hex'), expected);
}
