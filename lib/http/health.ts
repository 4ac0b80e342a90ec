// Health, readiness and metrics, for the admin port of the gateway and the ops port of each service.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { metrics } from '../telemetry/metrics.ts';

/** Answers `/healthz`, `/readyz` and `/metrics`, and returns true. Returns false for any other path, without answering. */
export function answerHealth(request: IncomingMessage, response: ServerResponse, ready: () => boolean): boolean {
  if (request.url === '/healthz') response.end('ok\n');
  else if (request.url === '/readyz') response.writeHead(ready() ? 200 : 503).end(ready() ? 'ready\n' : 'not ready\n');
  else if (request.url === '/metrics') {
    metrics.metrics().then(
      (text) => response.setHeader('content-type', metrics.contentType).end(text),
      () => response.writeHead(500).end(),
    );
  } else return false;
  return true;
}
