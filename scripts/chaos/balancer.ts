// A minimal load balancer in front of the gateways: it polls /readyz of each and forwards requests only to those that are ready.
// It retries a request at another gateway only when it could not connect, so that no request is executed twice.
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Stoppable } from '@clinic/lib/background/stop.ts';

export type Gateway = { port: number; adminPort: number };

const POLL_MS = 200;

export async function startBalancer(gateways: Gateway[]): Promise<Stoppable & { url: string }> {
  const ready = new Set<Gateway>();
  const agent = new http.Agent({ keepAlive: true, maxSockets: 200, timeout: 30_000 });
  const ask = async (gateway: Gateway) => {
    const answer = await fetch(`http://127.0.0.1:${gateway.adminPort}/readyz`, { signal: AbortSignal.timeout(1_000) }).catch(() => undefined);
    if (answer?.ok) ready.add(gateway);
    else ready.delete(gateway);
  };
  await Promise.all(gateways.map(ask));
  const asking = setInterval(() => void Promise.all(gateways.map(ask)), POLL_MS);
  let turn = 0;

  const server = http.createServer((request, response) => {
    const able = ready.size > 0 ? [...ready] : gateways; // like other balancers: when none is ready, all are tried
    const first = able.length > 0 ? turn++ % able.length : 0;
    pass(request, response, [...able.slice(first), ...able.slice(0, first)], agent);
  });
  server.keepAliveTimeout = 120_000; // longer than any client's, so that no client uses a connection that is just being closed
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      clearInterval(asking);
      agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function pass(request: IncomingMessage, response: ServerResponse, [gateway, ...others]: Gateway[], agent: http.Agent): void {
  if (!gateway) {
    refuse(response, 'no gateway is ready');
    return;
  }
  const { method, headers, url } = request;
  const onward = http.request({ host: '127.0.0.1', port: gateway.port, method, path: url, headers, agent }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  onward.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'ECONNREFUSED' && others.length > 0) pass(request, response, others, agent);
    else refuse(response, error.code ?? error.message);
  });
  request.pipe(onward);
}

function refuse(response: ServerResponse, why: string): void {
  if (response.headersSent) return void response.destroy();
  response.writeHead(502, { 'content-type': 'text/plain' }).end(why);
}
