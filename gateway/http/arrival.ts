// Estimates when a request arrived, for responses that are due within a fixed time of its arrival.
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

/** When a connection was accepted, until its first request. */
const accepted = new WeakMap<Socket, number>();
/** When the connection was accepted, by its first request. */
const firsts = new WeakMap<IncomingMessage, number>();

/** A connection accepted longer ago than this was opened before its first request was sent. */
const MAX_WAIT_MS = 1_000;
const TICK_MS = 100;
/** After this many ticks without a request the measurement stops, so that the timer does not run in an idle process. */
const IDLE_TICKS = 50;

/** How late the event loop is: a request that is read now may have arrived this long ago. */
let lateMs = 0;
let ticker: NodeJS.Timeout | undefined;
let ticks = 0;

/** Records when connections are accepted, and measures how late the event loop is while requests arrive. */
export function watchArrivals(server: Server): void {
  server.on('connection', (socket) => accepted.set(socket, performance.now()));
  // Before the handler of the server, which asks for the arrival of the request.
  server.prependListener('request', (request) => {
    const at = accepted.get(request.socket);
    if (at !== undefined) firsts.set(request, at);
    accepted.delete(request.socket);
    ticks = 0;
    ticker ??= startTicker();
  });
}

function startTicker(): NodeJS.Timeout {
  let last = performance.now();
  return setInterval(() => {
    const now = performance.now();
    lateMs = Math.max(0, now - last - TICK_MS);
    last = now;
    if (++ticks <= IDLE_TICKS) return;
    ticker = void clearInterval(ticker);
    lateMs = 0;
  }, TICK_MS).unref();
}

/** When the request that is being read arrived. The first request of a connection counts as arrived when the connection was accepted. */
export function arrivalOf(request: IncomingMessage): number {
  const now = performance.now();
  const at = firsts.get(request) ?? Number.NEGATIVE_INFINITY;
  return now - at < MAX_WAIT_MS ? at : now - Math.min(lateMs, MAX_WAIT_MS);
}
