// When requests arrived, for answers that must come within a time of that.
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

const accepted = new WeakMap<Socket, number>();

/** A connection that was accepted longer ago was opened in advance. */
const MAX_WAIT_MS = 1_000;
const TICK_MS = 100;
/** After so many ticks without a request the loop is not measured: the timer would wake an idle process. */
const IDLE_TICKS = 50;

/** How late the event loop is: so long ago a request may have arrived that is read now. */
let lateMs = 0;
let ticker: NodeJS.Timeout | undefined;
let ticks = 0;

/** Remembers when connections are accepted, and measures how late the event loop is while requests come. */
export function watchArrivals(server: Server): void {
  server.on('connection', (socket) => accepted.set(socket, performance.now()));
  server.on('request', () => {
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

/** When the request that is being read arrived: the first one of a connection when that was accepted. */
export function arrivalOf({ socket }: IncomingMessage): number {
  const now = performance.now();
  const at = accepted.get(socket) ?? Number.NEGATIVE_INFINITY;
  accepted.delete(socket);
  return now - at < MAX_WAIT_MS ? at : now - Math.min(lateMs, MAX_WAIT_MS);
}
