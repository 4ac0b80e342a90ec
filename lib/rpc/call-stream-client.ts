// Sends calls as messages on long-lived streams, one to each address of a service (docs/decisions/rpc-transport.md).
import grpc from '@grpc/grpc-js';
import { asIs, CALLS, type FromClient, type FromServer, framesOf, frameWriter } from './call-stream.ts';
import { grpcError } from './grpc-wire.ts';

/** Streams are open only while there are at least so many calls in this time, because gRPC sends a ping each second on open streams. */
const [MIN_CALLS, WINDOW_MS] = [20, 5_000];
/** Streams are replaced after this time, so that new replicas of the service get their share. */
const RENEW_MS = 60_000;
/** Larger requests, in bytes, are unary calls, so that others need not wait for them. */
const MAX_REQUEST = 64 * 1024;

type CallStream = ReturnType<typeof openStream>;

/** The streams to one service, opened and closed according to the number of calls. `client` returns the current client. */
export function callStreams(client: () => grpc.Client) {
  let streams: CallStream[] = [];
  let timer: NodeJS.Timeout | undefined; // set while streams are used
  let [calls, turn, windowEnds, renewAt] = [0, 0, 0, 0];

  /** Opens twice as many streams as before, which gRPC spreads over the addresses, and retains one for each address. */
  async function renew(): Promise<void> {
    renewAt = performance.now() + RENEW_MS;
    const opened = Array.from({ length: 2 * Math.max(1, streams.length) }, () => openStream(client()));
    await Promise.all(opened.map((stream) => stream.opened));
    const chosen = timer ? [...new Map(opened.filter((stream) => stream.isFree()).map((stream) => [stream.address(), stream])).values()] : [];
    for (const stream of [...streams, ...opened]) if (!chosen.includes(stream)) stream.end();
    streams = chosen;
  }
  function check(): void {
    if (calls < MIN_CALLS) close();
    else if (streams.length === 0 || streams.some((stream) => stream.isEnding()) || performance.now() > renewAt) void renew();
    calls = 0;
  }
  function close(): void {
    clearInterval(timer);
    timer = undefined;
    for (const stream of streams) stream.end();
    streams = [];
  }
  return {
    /** Counts the call, and returns a stream for a request of this many bytes; undefined when the call must be unary. */
    pick(bytes: number): CallStream | undefined {
      if (!timer && performance.now() > windowEnds) [calls, windowEnds] = [0, performance.now() + WINDOW_MS];
      if (++calls >= MIN_CALLS && !timer) {
        timer = setInterval(check, WINDOW_MS).unref();
        void renew();
      }
      const next = turn++;
      return bytes > MAX_REQUEST ? undefined : streams.map((_, index) => streams[(next + index) % streams.length]).find((stream) => stream?.isFree());
    },
    close,
  };
}

function openStream(client: grpc.Client) {
  const stream = client.makeBidiStreamRequest(CALLS.path, asIs, asIs, new grpc.Metadata());
  const writer = frameWriter<FromClient>(stream);
  const waiting = new Map<number, { resolve(response: Buffer): void; reject(error: grpc.ServiceError): void; timer: NodeJS.Timeout }>();
  let last = 0;
  let failure = grpcError(grpc.status.UNAVAILABLE, 'The server ended the stream');

  function take(id: number) {
    const call = waiting.get(id);
    clearTimeout(call?.timer);
    waiting.delete(id);
    return call;
  }
  stream.on('data', (batch: Buffer) => {
    for (const { header, payload } of framesOf<FromServer>(batch)) {
      if ('draining' in header) writer.end();
      else if ('code' in header) take(header.id)?.reject(grpcError(header.code, header.details, payload.length > 0 ? payload : undefined));
      else take(header.id)?.resolve(payload);
    }
  });
  stream.on('error', (error: grpc.ServiceError) => {
    failure = error;
  });
  return {
    /** Resolves when the stream is open or has ended. */
    opened: new Promise<void>((resolve) => {
      stream.on('metadata', () => resolve());
      stream.on('end', () => {
        writer.end();
        for (const id of waiting.keys()) take(id)?.reject(failure);
        resolve();
      });
    }),
    address: () => stream.getPeer(),
    isEnding: writer.isEnding,
    isFree: () => !writer.isEnding() && !writer.isFull(),
    end: writer.end,
    /** The bytes of the response. Rejects with a grpc.ServiceError. */
    call(method: string, headers: [string, string][], request: Buffer, timeoutMs: number): Promise<Buffer> {
      const id = ++last;
      return new Promise((resolve, reject) => {
        const expire = () => {
          take(id)?.reject(grpcError(grpc.status.DEADLINE_EXCEEDED, 'Deadline exceeded'));
          writer.send({ id, cancelled: true });
        };
        waiting.set(id, { resolve, reject, timer: setTimeout(expire, timeoutMs) });
        writer.send({ id, method, timeoutMs, headers: Object.fromEntries(headers) }, request);
      });
    },
  };
}
