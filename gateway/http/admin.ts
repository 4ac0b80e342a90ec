// The operators' port: health, readiness and metrics.
import http from 'node:http';
import { answerHealth } from '@clinic/lib/http/health.ts';

export function createAdminServer(ready: () => boolean): http.Server {
  return http.createServer((request, response) => {
    if (!answerHealth(request, response, ready)) response.writeHead(404).end();
  });
}
