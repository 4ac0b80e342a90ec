// Starts the gateway: limits, the public port, the operators' port, and a clean end.
import http from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Reason } from '@clinic/lib/errors/errors.ts';
import { type Clock, systemClock } from '@clinic/lib/runtime/clock.ts';
import type { Log } from '@clinic/lib/telemetry/log.ts';
import { createApp } from './app.ts';
import { createAdminServer } from './http/admin.ts';
import type { Transports } from './http/rpc.ts';
import { openLimits } from './limits/limits.ts';
import { openHub } from './live/hub.ts';
import { areas } from './routes/areas.ts';
import type { GatewaySettings } from './settings.ts';

export type GatewayOptions = { settings: GatewaySettings; transport: Transports; log: Log; clock?: Clock };
export type Gateway = { port: number; adminPort: number; stop(): Promise<void> };

export async function startGateway({ settings, transport, log, clock = systemClock }: GatewayOptions): Promise<Gateway> {
  const limits = openLimits(settings, log);
  const hub = openHub(settings.NATS_URL, log);
  let draining = false;
  const app = createApp({ settings, areas, transports: transport, limits, hub, clock, log });
  const server = http.createServer({ requestTimeout: 30_000, headersTimeout: 10_000, keepAliveTimeout: 65_000 }, (request, response) => {
    // Who keeps connections alive lets go of this process before it closes them.
    if (draining) response.setHeader('Connection', 'close');
    app(request, response);
  });
  server.on('clientError', refuseNonsense);
  const admin = createAdminServer(() => !draining);
  const port = await listen(server, settings.PORT, settings.HOST);
  const adminPort = await listen(admin, settings.ADMIN_PORT, settings.HOST).catch(async (error) => {
    await close(server);
    throw error;
  });
  log.info({ port, adminPort }, 'serving');
  return {
    port,
    adminPort,
    async stop() {
      draining = true;
      await sleep(settings.DRAIN_SECONDS * 1_000);
      await Promise.all([close(server), hub.stop()]); // streams never end by themselves
      await limits.stop();
      await close(admin);
    },
  };
}

function listen(server: http.Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(port, host, () => {
      server.off('error', reject);
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : port);
    });
  });
}

/** An RPC answers within 10 seconds; who still sends or reads after these is slow, or will never end. */
const FINISH_MS = 12_000;

/** No new connections. Those at work finish and are closed as soon as they are idle, since clients keep them alive. */
function close(server: http.Server): Promise<void> {
  return new Promise((resolve) => {
    const sweep = setInterval(() => server.closeIdleConnections(), 20);
    const end = setTimeout(() => server.closeAllConnections(), FINISH_MS);
    server.close(() => {
      clearInterval(sweep);
      clearTimeout(end);
      resolve();
    });
  });
}

/** What is not HTTP at all, or never ends, does not reach Express, but is still refused in the shape of every other error. */
function refuseNonsense(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const [status, sentence] = REFUSALS[error.code ?? ''] ?? ['400 Bad Request', 'This is not a valid HTTP request'];
  const body = JSON.stringify({ error: sentence, code: 'VALIDATION_ERROR' satisfies Reason });
  const headers = ['Content-Type: application/json; charset=utf-8', `Content-Length: ${Buffer.byteLength(body)}`, 'Connection: close'];
  socket.end(`HTTP/1.1 ${status}\r\n${headers.join('\r\n')}\r\n\r\n${body}`);
}

const REFUSALS: Record<string, [string, string]> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The headers are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not arrive in time'],
};
