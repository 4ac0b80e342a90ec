// A minimal load balancer in front of the gateways. It polls /readyz of each gateway and forwards requests only to those that are ready. It retries
// a request at another gateway only when it could not connect, so that no request is executed twice.
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { Stoppable } from '@clinic/lib/background/stop.ts';
import { serveOnLoopback } from '../loopback.ts';
import { isOk } from '../until.ts';

export type Gateway = { port: number; adminPort: number };

const POLL_MS = 200;

export async function startBalancer(gateways: Gateway[]): Promise<Stoppable & { url: string }> {
  const ready = new Set<Gateway>();
  const agent = new http.Agent({ keepAlive: true, maxSockets: 200, timeout: 30_000 });
  const poll = async (gateway: Gateway) => {
    if (await isOk(`http://127.0.0.1:${gateway.adminPort}/readyz`, 1_000)) ready.add(gateway);
    else ready.delete(gateway);
  };
  await Promise.all(gateways.map(poll));
  const polling = setInterval(() => void Promise.all(gateways.map(poll)), POLL_MS);
  let turn = 0;

  const server = http.createServer((request, response) => {
    const able = ready.size > 0 ? [...ready] : gateways; // when none is ready, all are tried, as other load balancers do
    const first = turn++ % able.length;
    pass(request, response, [...able.slice(first), ...able.slice(0, first)], agent);
  });
  server.keepAliveTimeout = 120_000; // longer than that of any client, so that no client uses a connection that is being closed
  const { url, stop } = await serveOnLoopback(server);
  return {
    url,
    async stop() {
      clearInterval(polling);
      agent.destroy();
      await stop();
    },
  };
}

function pass(request: IncomingMessage, response: ServerResponse, [gateway, ...others]: Gateway[], agent: http.Agent): void {
  if (!gateway) return void refuse(response, 'no gateway is ready');
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
