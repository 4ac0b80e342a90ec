import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { STREAM } from '@clinic/lib/events/nats.ts';
import { EVENT_ID_HEADER } from '@clinic/lib/events/published-stream.ts';
import { type TestNats, testNats } from '@clinic/lib/testing/nats.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { connect, headers, type NatsConnection } from 'nats';
import { v7 } from 'uuid';
import { type Hub, openHub } from './hub.ts';
import type { LiveEvent } from './live-event.ts';

let server: TestNats;
let connection: NatsConnection;
let hub: Hub;
let logged: string[];
const log = {
  info: () => {},
  warn: () => {},
  error: (fields: object, message: string) => logged.push(`${message} ${JSON.stringify(fields)}`),
};
beforeAll(async () => {
  server = await testNats();
  connection = await connect({ servers: server.url, reconnect: false });
  await (await connection.jetstreamManager()).streams.add({ name: STREAM, subjects: ['clinic.>'] });
  hub = openHub(server.url, async (_clinicId, events) => events, log as never);
});
afterAll(async () => {
  await hub.stop();
  await connection.close();
  await server.drop();
});

const listener = { userId: randomUUID(), send: () => {}, recheck: () => {}, close: () => {} };

async function publish(clinicId: string, payload: string, event = 'scheduling.appointment-booked'): Promise<string> {
  const id = v7();
  const named = headers();
  named.set(EVENT_ID_HEADER, id);
  await connection.jetstream().publish(`clinic.${clinicId}.${event}`, payload, { headers: named });
  return id;
}

test('an event that cannot be parsed is logged without its payload and skipped, live and in a replay', async () => {
  logged = [];
  const clinicId = randomUUID();
  const received: LiveEvent[] = [];
  await hub.join(clinicId, undefined, { ...listener, send: (event) => received.push(event) });
  const first = await publish(clinicId, '{}');
  for (const payload of ['{"appointment":', '{"appointment":{"status":[1]}}']) await publish(clinicId, payload);
  const last = await publish(clinicId, '{}');
  await waitFor(() => received.length === 2);
  expect(received.map(({ id }) => id)).toEqual([first, last]);
  const replayed: LiveEvent[] = [];
  await hub.join(clinicId, first, { ...listener, send: (event) => replayed.push(event) });
  expect(replayed.map(({ id }) => id)).toEqual([last]);
  expect(logged).toHaveLength(2);
  expect(logged.join()).toContain(`"subject":"clinic.${clinicId}.scheduling.appointment-booked"`);
  expect(logged.join()).not.toContain('status');
});

test('a change of access makes the streams of the user, or of the clinic, check it again', async () => {
  const [clinicId, userId] = [randomUUID(), randomUUID()];
  const rechecked: string[] = [];
  const join = (clinic: string, name: string, user: string) => hub.join(clinic, undefined, { ...listener, userId: user, recheck: () => rechecked.push(name) });
  await Promise.all([join(clinicId, 'same user', userId), join(clinicId, 'colleague', randomUUID()), join(randomUUID(), 'other clinic', userId)]);
  const changes: [event: string, payload: string, rechecked: string[]][] = [
    ['identity.access-changed', JSON.stringify({ userId }), ['same user']],
    ['identity.access-changed', '{}', ['same user', 'colleague']],
    ['identity.clinic-updated', '{}', ['same user', 'colleague']],
  ];
  for (const [event, payload, expected] of changes) {
    rechecked.length = 0;
    await publish(clinicId, payload, event);
    await waitFor(() => rechecked.length >= expected.length);
    expect(rechecked).toEqual(expected);
  }
});

test('when NATS is lost, the streams are closed without an error', async () => {
  logged = [];
  let closed = false;
  await hub.join(randomUUID(), undefined, { ...listener, close: () => (closed = true) });
  await server.stop();
  await waitFor(() => closed);
  let isReceiving = false;
  void hub.receiving().then((value) => {
    isReceiving = value;
  });
  await setImmediate();
  expect(isReceiving).toBe(false);
  await server.start();
  await waitFor(() => isReceiving);
  expect(logged).toEqual([]);
});
