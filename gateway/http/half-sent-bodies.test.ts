// Clients that send a body slowly or never complete it.
import { createHmac } from 'node:crypto';
import net from 'node:net';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { CHAT_SECRET, startTestGateway, type TestGateway } from '../testing/test-gateway.ts';

const MEGABYTE = 1024 * 1024;

let gateway: TestGateway;
const sockets: net.Socket[] = [];
beforeEach(async () => {
  gateway = await startTestGateway();
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await gateway.stop();
});

/** Begins a delivery of 3 MB and sends only `bytes` of it. */
function begin(headers: string[], bytes: number) {
  const socket = net.connect(Number(new URL(gateway.url).port), '127.0.0.1');
  sockets.push(socket);
  const received = { text: '', closed: false };
  socket.on('data', (part) => {
    received.text += part.toString();
  });
  socket
    .on('error', () => {})
    .on('close', () => {
      received.closed = true;
    });
  socket.write(['POST /webhooks/chat HTTP/1.1', 'Host: x', `Content-Length: ${3 * MEGABYTE}`, ...headers, '', ''].join('\r\n'));
  socket.write(Buffer.alloc(bytes, 'x'));
  return received;
}

async function deliver(bytes: number): Promise<number> {
  const body = Buffer.alloc(bytes, 'y');
  const signature = `sha256=${createHmac('sha256', CHAT_SECRET).update(body).digest('hex')}`;
  return (await fetch(`${gateway.url}/webhooks/chat`, { method: 'POST', body, headers: { 'x-hub-signature-256': signature } })).status;
}

test('without a well-formed signature the response does not wait for the body', async () => {
  for (const headers of [[], ['X-Hub-Signature-256: sha256=0123']]) {
    const received = begin(headers, 10);
    await waitFor(() => received.text.includes('INVALID_SIGNATURE'));
    expect(received.text).toMatch(/^HTTP\/1.1 401 /);
  }
});

test('the memory of half-sent bodies is limited and the rest of a refused one is not received; small deliveries are stored meanwhile, large ones afterwards', async () => {
  const half = Array.from({ length: 12 }, () => begin([`X-Hub-Signature-256: sha256=${'0'.repeat(64)}`], 2.5 * MEGABYTE));
  await waitFor(() => half.filter(({ closed }) => closed).length === 6);
  for (const { text } of half.filter(({ closed }) => closed)) {
    expect(text).toMatch(/^HTTP\/1.1 503 [\s\S]*\r\nRetry-After: 5\r\n[\s\S]*\r\nConnection: close\r\n/);
    expect(text).toContain('"code":"UNAVAILABLE"');
  }
  expect(await deliver(16 * 1024)).toBe(200);
  for (const socket of sockets) socket.destroy();
  await waitFor(async () => (await deliver(3 * MEGABYTE)) === 200);
});
