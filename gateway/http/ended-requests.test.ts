// Clients that end the connection before the gateway reads the body.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import net from 'node:net';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { RECORD_ID, startTestGateway, type TestGateway } from '../testing/test-gateway.ts';

const STARTED = 'http.server.request.start';
let gateway: TestGateway;
let received: IncomingMessage | undefined;
const onStart = (message: unknown) => {
  received = (message as { request: IncomingMessage }).request;
};
beforeEach(async () => {
  gateway = await startTestGateway({ CLINIC_CONCURRENT_REQUESTS: '1' });
  subscribe(STARTED, onStart);
});
afterEach(async () => {
  unsubscribe(STARTED, onStart);
  await gateway.stop();
});

const FORM = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n%PDF-1.7\r\n--x--\r\n';

test.each([
  ['JSON', 'PATCH', `/api/patients/${RECORD_ID}`, 'application/json', '{"notes":"x"}'],
  ['a form', 'POST', `/api/patients/${RECORD_ID}/files`, 'multipart/form-data; boundary=x', FORM],
  ['a file', 'POST', '/api/patients/import', 'text/csv', 'nombre,telefono\r\n'],
])('a request with %s that ends during the access check leaves the place of its clinic', async (_, method, path, type, body) => {
  const resolve = gateway.replies['AccessService.resolveAccessOfMany'];
  const [held, checked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  gateway.replies['AccessService.resolveAccessOfMany'] = async (request, call) => {
    checked.resolve();
    await held.promise;
    return resolve?.(request, call);
  };
  const token = await gateway.token();
  const socket = net.connect(Number(new URL(gateway.url).port), '127.0.0.1');
  const headers = ['Host: x', `Authorization: Bearer ${token}`, `Content-Type: ${type}`, `Content-Length: ${body.length}`];
  socket.write([`${method} ${path} HTTP/1.1`, ...headers, '', body].join('\r\n'));
  await checked.promise;
  socket.destroy();
  await waitFor(() => received?.destroyed === true);
  held.resolve();
  const next = await fetch(`${gateway.url}/api/doctors`, { headers: { Authorization: `Bearer ${token}` } });
  expect(next.status).toBe(200);
});
