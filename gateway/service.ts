// Starts and stops the gateway: rate limits, the live stream, the public port and the operators' port.
import http from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Clock, systemClock } from '@clinic/lib/clock/clock.ts';
import { checkPublicUrl } from '@clinic/lib/config/public-url.ts';
import type { Reason } from '@clinic/lib/errors/errors.ts';
import { answerHealth } from '@clinic/lib/http/health.ts';
import { transportFrom } from '@clinic/lib/rpc/context.ts';
import { watchStartUp } from '@clinic/lib/runtime/start-up.ts';
import type { Log } from '@clinic/lib/telemetry/log.ts';
import { startUsageReports } from '@clinic/lib/usage/usage.ts';
import { UsageReportService } from '@clinic/proto/common/v1/usage_pb.js';
import { createClient } from '@connectrpc/connect';
import { createApp } from './app.ts';
import { watchArrivals } from './http/arrival.ts';
import { limitBodyTime } from './http/body-time.ts';
import type { Transports } from './http/rpc.ts';
import { HEADERS_MS, TIMES, type Times } from './http/times.ts';
import { openLimits } from './limits/limits.ts';
import { watchOperatingState } from './limits/operating-state.ts';
import { openHub } from './live/hub.ts';
import { createAddPhones } from './live/phones.ts';
import { areas } from './routes/areas.ts';
import type { GatewaySettings } from './settings.ts';

type GatewayOptions = { settings: GatewaySettings; transport: Transports; log: Log; clock?: Clock; times?: Times };
export type Gateway = { port: number; adminPort: number; stop(): Promise<void> };

/**
 * How long the headers may take and a connection may wait for its next request, in milliseconds, and how often that is checked. Bodies are limited by
 * limitBodyTime().
 */
const SERVER_TIMES = { headersTimeout: HEADERS_MS, requestTimeout: 0, keepAliveTimeout: 65_000, connectionsCheckingInterval: 2_000 };
const MAX_CONNECTIONS = 8_000;
/** Not applied behind proxies, where all connections come from their addresses. */
const MAX_CONNECTIONS_OF_ADDRESS = 2_000;

export async function startGateway({ settings, log, clock = systemClock, times = TIMES, ...options }: GatewayOptions): Promise<Gateway> {
  const transport: Transports = (service) => transportFrom('gateway', options.transport(service));
  const limits = openLimits(settings, log, times.countMs);
  const operating = watchOperatingState({ identity: transport('identity'), clock, log });
  const usage = startUsageReports({ reports: createClient(UsageReportService, transport('identity')), name: 'gateway', log });
  const hub = openHub(settings.NATS_URL, createAddPhones(transport('messaging'), log), log);
  const startUp = watchStartUp({ missingMigrations: limits.missingMigrations, nats: hub, log });
  checkPublicUrl(settings, log);
  let draining = false;
  const app = createApp({ settings, areas, transports: transport, limits, operating, hub, completeMs: times.completeMs, clock, log });
  const server = http.createServer({ ...SERVER_TIMES, requireHostHeader: false }, (request, response) => {
    if (!hasValidHost(request)) return refuse(request.socket, '400 Bad Request', 'The request must have one valid Host header', 'VALIDATION_ERROR');
    // So that clients with open connections reconnect to another process before this one closes them.
    if (draining) response.setHeader('Connection', 'close');
    limitBodyTime(request, response, times, () => {
      if (response.headersSent) request.socket.destroy();
      else refuse(request.socket, ...TOO_SLOW, 'VALIDATION_ERROR');
    });
    app(request, response);
  });
  server.timeout = times.idleMs;
  limitConnections(server, settings.TRUST_PROXY > 0 ? MAX_CONNECTIONS : MAX_CONNECTIONS_OF_ADDRESS);
  server.on('clientError', refuseMalformed);
  server.on('connect', refuseConnect);
  // Node would respond 417 without a body. The expectation may be ignored (RFC 9110, 10.1.1).
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  watchArrivals(server);
  const admin = http.createServer((request, response) => {
    if (!answerHealth(request, response, () => !draining && startUp.ready())) response.writeHead(404).end();
  });
  const port = await listen(server, settings.PORT, settings.HOST);
  const adminPort = await listen(admin, settings.ADMIN_PORT, settings.HOST).catch(async (error) => {
    await close(server);
    throw error;
  });
  log.info({ port, adminPort }, 'gateway is listening');
  return {
    port,
    adminPort,
    async stop() {
      draining = true;
      await startUp.stop();
      await sleep(settings.DRAIN_SECONDS * 1_000);
      await Promise.all([close(server), hub.stop()]); // the server closes only after the live streams have ended
      await Promise.all([limits.stop(), operating.stop(), usage.stop()]);
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

/** Connections that are still in use after this time are closed. It exceeds the timeout of an RPC, 10 seconds. */
const MAX_CLOSE_MS = 12_000;

/** Accepts no new connections and closes the others as soon as they are idle. */
function close(server: http.Server): Promise<void> {
  return new Promise((resolve) => {
    const sweep = setInterval(() => server.closeIdleConnections(), 20);
    const end = setTimeout(() => server.closeAllConnections(), MAX_CLOSE_MS);
    server.close(() => {
      clearInterval(sweep);
      clearTimeout(end);
      resolve();
    });
  });
}

/** Connections beyond MAX_CONNECTIONS are reset; those of one address beyond `maxOfAddress` receive an error. */
function limitConnections(server: http.Server, maxOfAddress: number): void {
  server.maxConnections = MAX_CONNECTIONS;
  const counts = new Map<string, number>();
  server.on('connection', (socket) => {
    const address = socket.remoteAddress ?? '';
    const count = (counts.get(address) ?? 0) + 1;
    counts.set(address, count);
    socket.once('close', () => {
      const left = (counts.get(address) ?? 0) - 1;
      if (left > 0) counts.set(address, left);
      else counts.delete(address);
    });
    if (count > maxOfAddress) refuse(socket, '503 Service Unavailable', 'Too many connections are open', 'UNAVAILABLE', ['Retry-After: 5']);
  });
}

/** RFC 9112, 3.2: a request has one Host header, which HTTP/1.0 may omit. */
function hasValidHost({ rawHeaders, headers, httpVersion }: http.IncomingMessage): boolean {
  let count = 0;
  for (let name = 0; name < rawHeaders.length; name += 2) if (rawHeaders[name]?.toLowerCase() === 'host') count++;
  return count === 0 ? httpVersion !== '1.1' : count === 1 && HOST.test(headers.host ?? '');
}

/** `uri-host [ ":" port ]` of RFC 3986, which may be empty. */
const HOST = /^([\w.~!$&'()*+,;=%-]*|\[[\da-fv.:]+\])(:\d*)?$/i;

/** Malformed and unfinished requests do not reach Express; they too receive an error in the common shape. */
function refuseMalformed(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const [status, message] = REFUSALS[error.code ?? ''] ?? ['400 Bad Request', 'This is not a valid HTTP request'];
  refuse(socket, status, message, 'VALIDATION_ERROR');
}

/** Node would close the connection without a response. */
function refuseConnect(_request: http.IncomingMessage, socket: Duplex): void {
  socket.on('error', () => {}); // Node no longer handles the errors of this socket
  refuse(socket, '400 Bad Request', 'This server is not a proxy', 'VALIDATION_ERROR');
}

function refuse(socket: Duplex, status: string, error: string, code: Reason, more: string[] = []): void {
  const body = JSON.stringify({ error, code });
  const headers = ['Content-Type: application/json; charset=utf-8', `Content-Length: ${Buffer.byteLength(body)}`, 'Connection: close', ...more];
  socket.end(`HTTP/1.1 ${status}\r\n${headers.join('\r\n')}\r\n\r\n${body}`);
  setTimeout(() => socket.destroy(), LAST_BYTES_MS).unref(); // the client may go on sending
}

/** How long a refused client may take to receive the response. */
const LAST_BYTES_MS = 2_000;

const LIMITS = `headers may take ${HEADERS_MS / 1_000} seconds, a file ${TIMES.fileMs / 60_000} minutes, another body ${TIMES.bodyMs / 1_000} seconds`;
const TOO_SLOW: [status: string, error: string] = ['408 Request Timeout', `The request did not arrive in time: ${LIMITS}`];
const REFUSALS: Record<string, [status: string, error: string]> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The headers are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: TOO_SLOW,
};
