// The format of calls as messages on long-lived streams (docs/decisions/rpc-transport.md), for client and server.
import type { Writable } from 'node:stream';

export const asIs = (bytes: Buffer) => bytes;
const BYTES = { requestSerialize: asIs, requestDeserialize: asIs, responseSerialize: asIs, responseDeserialize: asIs };
/** The bidirectional stream, whose messages are batches of frames. */
export const CALLS = { path: '/clinic.common.v1.Calls/Carry', requestStream: true, responseStream: true, ...BYTES };

/** From the client: a call, whose payload is the request; or its cancellation, after which no response is sent. */
export type FromClient = { id: number; method: string; timeoutMs: number; headers: Record<string, string> } | { id: number; cancelled: true };
/** From the server: a response; an error with the status of a unary call, whose payload is the trailer; or a request to send no more calls. */
export type FromServer = { id: number } | { id: number; code: number; details: string } | { id: 0; draining: true };

/** Bytes waiting to be written at which a writer counts as full. */
const MAX_WAITING = 1024 * 1024;
/** Maximum size of a batch in bytes, except for a single larger frame; gRPC accepts messages of 4 MB. */
const MAX_BATCH = 256 * 1024;
const NOTHING = Buffer.alloc(0);

/**
 * Writes the frames that are sent in one turn of the event loop as one batch, and those that are sent until the stream has accepted it as the next.
 * `accepted` is called after each batch.
 */
export function frameWriter<Header>(stream: Pick<Writable, 'destroyed' | 'writableEnded' | 'write' | 'end'>, accepted = () => {}) {
  const frames: Buffer[] = [];
  let [waiting, ending, writing] = [0, false, false];

  function write(): void {
    writing = frames.length > 0;
    if (stream.destroyed || stream.writableEnded) return;
    if (!writing) return void (ending && stream.end());
    let [size, count] = [0, 0];
    for (; frames[count] && (count === 0 || size + (frames[count] as Buffer).length <= MAX_BATCH); count++) size += (frames[count] as Buffer).length;
    waiting -= size;
    stream.write(Buffer.concat(frames.splice(0, count), size), () => {
      write();
      accepted();
    });
  }
  function start(): void {
    if (!writing) setImmediate(write);
    writing = true;
  }
  return {
    /** Does nothing after end(). */
    send(header: Header, payload: Buffer = NOTHING): void {
      if (ending) return;
      const text = Buffer.from(JSON.stringify(header));
      const lengths = Buffer.allocUnsafe(8);
      lengths.writeUInt32BE(payload.length, lengths.writeUInt32BE(text.length));
      frames.push(Buffer.concat([lengths, text, payload]));
      waiting += lengths.length + text.length + payload.length;
      start();
    },
    /** Ends this half of the stream after everything that was sent. */
    end(): void {
      ending = true;
      start();
    },
    isEnding: () => ending,
    isFull: () => waiting > MAX_WAITING,
  };
}

/** The frames of a batch. Throws when the bytes are not a batch. */
export function* framesOf<Header>(batch: Buffer): Generator<{ header: Header; payload: Buffer }> {
  for (let at = 0; at < batch.length; ) {
    const [payload, length] = [at + 8 + batch.readUInt32BE(at), batch.readUInt32BE(at + 4)];
    if (payload + length > batch.length) throw new RangeError('a frame is longer than its batch');
    yield { header: JSON.parse(batch.toString('utf8', at + 8, payload)) as Header, payload: batch.subarray(payload, payload + length) };
    at = payload + length;
  }
}
