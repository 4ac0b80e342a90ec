// The operators' port: whether the gateway lives, whether it takes traffic, and its metrics.
import http from 'node:http';
import { metrics } from '@clinic/lib/metrics.ts';

/** `/healthz`, `/readyz` and `/metrics`. */
export function createAdminServer(ready: () => boolean): http.Server {
  return http.createServer((request, response) => {
    if (request.url === '/healthz') return void response.end('ok\n');
    if (request.url === '/readyz') return void response.writeHead(ready() ? 200 : 503).end(ready() ? 'ready\n' : 'not ready\n');
    if (request.url !== '/metrics') return void response.writeHead(404).end();
    metrics.metrics().then(
      (text) => response.setHeader('content-type', metrics.contentType).end(text),
      () => response.writeHead(500).end(),
    );
  });
}
