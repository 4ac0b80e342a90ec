// Answers that come in pieces: each event as it is told, an error where the service breaks, and an end in every case.
import http from 'node:http';
import { fail } from '@clinic/lib/errors/errors.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { activeState, startTestGateway, type TestGateway } from '../testing/test-gateway.ts';

let door: TestGateway;
let authorization: string;
let ended = 0;
beforeAll(async () => {
  door = await startTestGateway();
  authorization = `Bearer ${await door.token()}`;
  door.replies['AccessService.resolveAccess'] = () => ({ ...activeState, features: ['assistant'] });
});
afterAll(() => door.stop());

const tell = (events: (signal: AbortSignal) => AsyncIterable<object>) => {
  door.replies['AssistantService.chat'] = (_request, call) => {
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
  fetch(`${door.url}/api/assistant/chat`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ message: 'Hola' }),
  });
const token = (text: string) => ({ event: { case: 'token', value: { text } } });
const done = { event: { case: 'done', value: { conversationId: 'c', source: 'rules' } } };

test('each message is an event, one without content is none', async () => {
  tell(async function* () {
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

test('the head leaves before the first piece is ready', async () => {
  let go = () => {};
  const ready = new Promise<void>((resolve) => {
    go = resolve;
  });
  tell(async function* () {
    yield {};
    await ready;
    yield done;
  });
  const response = await ask();
  expect(response.status).toBe(200);
  go();
  expect(await response.text()).toContain('event: done');
});

test('what forbids the answer is an answer of its own', async () => {
  tell(async function* () {
    fail('NOT_FOUND', 'Conversation not found');
    yield {};
  });
  const response = await ask();
  expect([response.status, await response.json()]).toEqual([404, { error: 'Conversation not found', code: 'NOT_FOUND' }]);
});

test('a service that breaks in the middle is told, without internals', async () => {
  tell(async function* () {
    yield token('Hoy ');
    throw new Error('password=123');
  });
  const text = await (await ask()).text();
  expect(text).toMatch(/^event: token\n.*\n\nevent: error\ndata: .*"code":"INTERNAL".*\n\n$/);
  expect(text).not.toContain('password');
});

test('who leaves ends the work, however much is being told', async () => {
  const before = ended;
  let told = 0;
  tell(async function* (signal) {
    while (!signal.aborted) {
      yield token('x'.repeat(10_000));
      told += 1;
    }
  });
  // A connection of its own, since fetch opens another one in place of one that it breaks off.
  const leaving = http.request(`${door.url}/api/assistant/chat`, {
    method: 'POST',
    agent: false,
    headers: { authorization, 'content-type': 'application/json' },
  });
  leaving.on('error', () => {}).end(JSON.stringify({ message: 'Hola' }));
  await new Promise((resolve) => leaving.once('response', (response: http.IncomingMessage) => response.once('data', resolve)));
  leaving.destroy();
  await waitFor(() => ended === before + 1);
  const then = told;
  await waitFor(async () => (await fetch(`${door.adminUrl}/healthz`)).ok);
  expect(told).toBe(then);
});
