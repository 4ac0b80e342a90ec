// Reads bodies into memory. The bytes of all unfinished bodies are limited, in total and per network, so that bodies that are sent slowly or
// never completed do not exhaust the memory of the process; the rest of a refused body is not received. The first bytes of a body do not count:
// small requests are served while large ones are refused.
import { fail, failFor, ServiceError } from '@clinic/lib/errors/errors.ts';
import { networkOf } from '@clinic/lib/formats/network.ts';
import type { Request } from 'express';
import { hasBody } from './body-time.ts';
import { clientIp } from './request-log.ts';

const UNCOUNTED_BYTES = 16 * 1024;
const MAX_ARRIVING_BYTES = 32 * 1024 * 1024;
const MAX_OF_NETWORK_BYTES = 16 * 1024 * 1024;

const LARGE_PART_BYTES = 4 * 1024;
const MAX_SMALL_PARTS = 256;

const EMPTY = Buffer.alloc(0);

type Options = {
  /** Throws INVALID_JSON when the body has not arrived after this time. By default only the limits of body-time.ts apply. */
  timeoutMs?: number;
  /** Receives each part as it arrives. */
  onPart?: (part: Buffer) => void;
};

/**
 * The raw body; empty when there is none. Throws PAYLOAD_TOO_LARGE as soon as it is known to exceed `maxBytes`, INVALID_JSON when it ends early,
 * and UNAVAILABLE when too much is arriving.
 */
export async function readBytes(request: Request, maxBytes: number, options: Options = {}): Promise<Buffer> {
  if (!hasBody(request)) return EMPTY;
  if (Number(request.headers['content-length']) > maxBytes) fail('PAYLOAD_TOO_LARGE');
  if (request.destroyed) fail('INVALID_JSON', 'The body ended early'); // its events were emitted while the request waited
  const arriving = arrivingFrom(networkOf(clientIp(request)));
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise((resolve, reject) => {
      const parts: Buffer[] = [];
      let small: Buffer[] = [];
      let size = 0;
      const broken = (message = 'The body ended early') => reject(new ServiceError('INVALID_JSON', message));
      request.on('data', (part: Buffer) => {
        try {
          size += part.length;
          if (size > maxBytes) fail('PAYLOAD_TOO_LARGE');
          if (size > UNCOUNTED_BYTES) arriving.add(part.length);
          options.onPart?.(part);
          // Small parts are joined, because a million parts of one byte would take a hundred times as much memory. Large parts are not copied,
          // because the originals would stay in memory until the next full garbage collection.
          small.push(part);
          if (part.length < LARGE_PART_BYTES && small.length < MAX_SMALL_PARTS) return;
          parts.push(small.length === 1 ? part : Buffer.concat(small));
          small = [];
        } catch (error) {
          reject(error);
        }
      });
      request.on('end', () => resolve(Buffer.concat([...parts, ...small], size)));
      request.on('error', () => broken()).on('aborted', () => broken());
      if (options.timeoutMs) timer = setTimeout(broken, options.timeoutMs, 'The body did not arrive in time');
    });
  } catch (error) {
    request.removeAllListeners('data');
    skipRest(request);
    throw error;
  } finally {
    clearTimeout(timer);
    arriving.end();
  }
}

/** Whether a large part of the body may still arrive. If so, it is not received and the connection is closed after the response. */
export const isArriving = ({ complete, headers }: Request): boolean =>
  !complete && (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > UNCOUNTED_BYTES);

/** Discards a short rest of the body, so that the client can send its next request; stops receiving a long one. */
export function skipRest(request: Request): void {
  if (isArriving(request)) request.pause();
  else request.resume();
}

const bytesOfNetwork = new Map<string, number>();
let arrivingBytes = 0;

/** Counts the bytes of one body while it arrives. */
function arrivingFrom(network: string) {
  let counted = 0;
  return {
    add(bytes: number): void {
      const ofNetwork = bytesOfNetwork.get(network) ?? 0;
      if (arrivingBytes + bytes > MAX_ARRIVING_BYTES || ofNetwork + bytes > MAX_OF_NETWORK_BYTES) failFor('UNAVAILABLE', 5);
      counted += bytes;
      arrivingBytes += bytes;
      bytesOfNetwork.set(network, ofNetwork + bytes);
    },
    end(): void {
      arrivingBytes -= counted;
      const left = (bytesOfNetwork.get(network) ?? 0) - counted;
      if (left > 0) bytesOfNetwork.set(network, left);
      else bytesOfNetwork.delete(network);
    },
  };
}
