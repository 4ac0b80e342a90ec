import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, expect, test } from '@jest/globals';
import { limitBody } from './limit-body.ts';

let server: http.Server;
afterEach(() => void server.close());

async function fetchFrom(answer: (response: http.ServerResponse) => void): Promise<Response> {
  server = http.createServer((_request, response) => answer(response));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

test('a body within the limit is unchanged, with its status and headers', async () => {
  const response = limitBody(await fetchFrom((to) => to.writeHead(403, { 'x-name': 'a' }).end('{"a":1}')), 7);
  expect([response.status, response.headers.get('x-name'), await response.json()]).toEqual([403, 'a', { a: 1 }]);
});

test('a response without a body is unchanged', async () => {
  expect(await limitBody(await fetchFrom((to) => to.writeHead(204).end()), 7).text()).toBe('');
});

test('a body that never ends fails, and its connection ends', async () => {
  const ended = Promise.withResolvers<void>();
  const response = await fetchFrom((to) => {
    to.once('close', ended.resolve);
    const fill = () => {
      while (!to.destroyed && to.write('x'.repeat(100_000)));
    };
    to.on('drain', fill);
    fill();
  });
  await expect(limitBody(response, 1_000_000).text()).rejects.toThrow('The response is too large');
  await ended.promise;
});

test('the limit applies to the decompressed body', async () => {
  const response = await fetchFrom((to) => to.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(5_000_000, 'x'))));
  await expect(limitBody(response, 1_000_000).text()).rejects.toThrow('The response is too large');
});
