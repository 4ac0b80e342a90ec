import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { ServiceError } from '@clinic/lib/errors/errors.ts';
import { createLog } from '@clinic/lib/telemetry/log.ts';
import { manualClock } from '@clinic/lib/testing/clock.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import express from 'express';
import { v7 } from 'uuid';
import { type AccessOptions, createAccessCheck } from '../access/check-access.ts';
import type { Hub } from './hub.ts';
import type { LiveEvent } from './live-event.ts';
import { streamEvents } from './stream.ts';

const CLINIC = v7();
const NOW = new Date('2026-06-01T14:00:00Z');
let server: http.Server;
let checks = 0;
/** Requests that were counted toward the limits of the user and the clinic. */
let counts = 0;
let check: () => Promise<void>;
let expires: number;
let listener: Parameters<Hub['join']>[2] | undefined;
let receiving = Promise.resolve(true);

beforeAll(async () => {
  const hub = {
    receiving: () => receiving,
    join: async (_clinicId: string, _lastId: string | undefined, joined: typeof listener) => {
      listener = joined;
      return () => {};
    },
  } as Partial<Hub> as Hub;
  const resolveAccess = async () => {
    checks++;
    await check();
    return { userActive: true, clinicActive: true, plan: 'forever_free' };
  };
  const verifyToken = async () => ({ userId: v7(), clinicId: CLINIC, sessionId: '', expires });
  const count = async () => {
    counts++;
  };
  const clock = manualClock(NOW);
  const checkAccess = createAccessCheck({ resolveAccess, verifyToken, operating: {}, clinicLimits: { count }, clock } as unknown as AccessOptions);
  const options = { checkAccess, verifyToken, hub, limits: { of: () => undefined } as never, clock, log: createLog('test', 'silent') };
  const app = express().get('/api/events', streamEvents(options));
  server = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
});
afterEach(() => {
  jest.restoreAllMocks();
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

const HOUR_MS = 3_600_000;

/** Opens a stream of a user with access, by a token that expires in that time. `received` has the ids of its events. */
async function open(expiresInMs = HOUR_MS) {
  check = async () => {};
  counts = 0;
  expires = NOW.getTime() + expiresInMs;
  listener = undefined;
  const stream = { received: [] as string[], hasEnded: false };
  http.get(`http://127.0.0.1:${(server.address() as AddressInfo).port}/api/events`, { agent: false }, (response) => {
    response.setEncoding('utf8').on('data', (text: string) => stream.received.push(...[...text.matchAll(/^id: (.*)$/gm)].map(([, id = '']) => id)));
    response.once('end', () => {
      stream.hasEnded = true;
    });
  });
  await waitFor(() => listener !== undefined);
  checks = 0;
  return stream;
}

function send(): string {
  const event: LiveEvent = { id: v7(), clinicId: CLINIC, name: 'appointment_booked', data: {} };
  listener?.send(event);
  return event.id;
}

function passTime(ms: number): void {
  const now = Date.now;
  jest.spyOn(Date, 'now').mockImplementation(() => now() + ms);
}

const signedOut = async () => {
  throw new ServiceError('UNAUTHENTICATED', 'The session has ended');
};

test('the stream ends when its token expires', async () => {
  const [lasting, ending] = [await open(), await open(1)];
  await waitFor(() => ending.hasEnded);
  expect([lasting.hasEnded, checks]).toEqual([false, 0]);
});

test('HEAD gets the headers and opens no stream', async () => {
  check = async () => {};
  listener = undefined;
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/api/events`, { method: 'HEAD' });
  expect([response.status, response.headers.get('content-type'), listener]).toEqual([200, expect.stringContaining('text/event-stream'), undefined]);
});

test('while no events can be received, the stream is refused and can be opened later', async () => {
  check = async () => {};
  const { promise, resolve } = Promise.withResolvers<boolean>();
  receiving = promise;
  const refused = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/api/events`);
  expect([refused.status, refused.headers.get('retry-after'), await refused.json()]).toMatchObject([503, '1', { code: 'UNAVAILABLE' }]);
  resolve(true);
  await open();
  listener?.close();
});

test('events that follow one another are sent after one check of the access, which is not counted as a request', async () => {
  const stream = await open();
  passTime(11_000);
  const sent = [send(), send(), send()];
  await waitFor(() => stream.received.length === 3);
  expect([stream.received, checks, counts]).toEqual([sent, 1, 1]);
  listener?.close();
});

test('an event of a user who has lost access since the last check is not sent, and the stream ends', async () => {
  const stream = await open();
  const first = send();
  await waitFor(() => stream.received.length === 1);
  check = signedOut;
  passTime(11_000);
  send();
  send();
  await waitFor(() => stream.hasEnded);
  expect([stream.received, checks]).toEqual([[first], 1]);
});

test('the stream of a user who has lost access ends as soon as the change of access is published', async () => {
  const stream = await open();
  listener?.recheck();
  await waitFor(() => checks === 1);
  check = signedOut;
  listener?.recheck();
  await waitFor(() => stream.hasEnded);
  expect([stream.received, checks]).toEqual([[], 2]);
});
