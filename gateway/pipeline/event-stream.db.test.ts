// Server-sent events of streaming RPCs: each event is sent at once, a failing service leads to an error event, and every stream ends.
import http from 'node:http';
import { fail } from '@clinic/lib/errors/errors.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { activeState, startTestGateway, type TestGateway } from '../testing/test-gateway.ts';

let gateway: TestGateway;
let authorization: string;
let ended = 0;
beforeAll(async () => {
  gateway = await startTestGateway();
  authorization = `Bearer ${await gateway.token()}`;
  gateway.replies['AccessService.resolveAccess'] = () => ({ ...activeState, features: ['assistant'] });
});
afterAll(() => gateway.stop());

const reply = (events: (signal: AbortSignal) => AsyncIterable<object>) => {
  gateway.replies['AssistantService.chat'] = (_request, call) => {
    return (async function* () {
      try {
        yield* events((call as unknown as { signal: AbortSignal }).signal);
      } finally {
        ended++;
      }
    })();
  };
};
const ask = () =>
  fetch(`${gateway.url}/api/assistant/chat`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ message: 'Hola' }),
  });
const token = (text: string) => ({ event: { case: 'token', value: { text } } });
const done = { event: { case: 'done', value: { conversationId: 'c', source: 'rules' } } };

test('each message is an event, except one without content', async () => {
  reply(async function* () {
    yield {};
    yield token('línea 1\nlínea 2');
    yield { event: { case: 'confirm', value: { actionId: 'a', summary: 's' } } };
    yield done;
  });
  const response = await ask();
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
  expect([response.headers.get('cache-control'), response.headers.get('content-encoding')]).toEqual(['no-store', null]);
  expect(await response.text()).toBe(
    'event: token\ndata: {"text":"línea 1\\nlínea 2"}\n\nevent: confirm\ndata: {"actionId":"a","summary":"s"}\n\nevent: done\ndata: {"conversationId":"c","source":"rules"}\n\n',
  );
});

test('the headers are sent before the first event is ready', async () => {
  let go = () => {};
  const ready = new Promise<void>((resolve) => {
    go = resolve;
  });
  reply(async function* () {
    yield {};
    await ready;
    yield done;
  });
  const response = await ask();
  expect(response.status).toBe(200);
  go();
  expect(await response.text()).toContain('event: done');
});

test('an error before the first message is an error response', async () => {
  reply(async function* () {
    fail('NOT_FOUND', 'Conversation not found');
    yield {};
  });
  const response = await ask();
  expect([response.status, await response.json()]).toEqual([404, { error: 'Conversation not found', code: 'NOT_FOUND' }]);
});

test('a service that fails midway leads to an error event without internals', async () => {
  reply(async function* () {
    yield token('Hoy ');
    throw new Error('password=123');
  });
  const text = await (await ask()).text();
  expect(text).toMatch(/^event: token\n.*\n\nevent: error\ndata: .*"code":"INTERNAL".*\n\n$/);
  expect(text).not.toContain('password');
});

test('a client that disconnects ends the work of the service', async () => {
  const before = ended;
  let sent = 0;
  reply(async function* (signal) {
    while (!signal.aborted) {
      yield token('x'.repeat(10_000));
      sent += 1;
    }
  });
  // Uses a connection of its own, because fetch replaces a connection that it has aborted.
  const leaving = http.request(`${gateway.url}/api/assistant/chat`, {
    method: 'POST',
    agent: false,
    headers: { authorization, 'content-type': 'application/json' },
  });
  leaving.on('error', () => {}).end(JSON.stringify({ message: 'Hola' }));
  await new Promise((resolve) => leaving.once('response', (response: http.IncomingMessage) => response.once('data', resolve)));
  leaving.destroy();
  await waitFor(() => ended === before + 1);
  const sentBefore = sent;
  await waitFor(async () => (await fetch(`${gateway.adminUrl}/healthz`)).ok);
  expect(sent).toBe(sentBefore);
});
