// The end of a gateway behind a balancer: first it says that it takes no more, and only when that must be known it stops.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { startTestGateway } from './testing/test-gateway.ts';

test('after the signal it is not ready, still answers, keeps no connection, and ends when its time is over', async () => {
  const door = await startTestGateway({ DRAIN_SECONDS: '1.5' });
  const asked = () => fetch(`${door.url}/api/openapi.json`);
  const before = await asked();
  expect(before.headers.get('connection')).toBe('keep-alive');
  expect((await fetch(`${door.adminUrl}/readyz`)).status).toBe(200);

  const stopped = door.stop();
  const during = await asked();
  expect(during.status).toBe(200);
  expect(during.headers.get('connection')).toBe('close');
  expect((await fetch(`${door.adminUrl}/readyz`)).status).toBe(503);

  await stopped;
  await expect(asked()).rejects.toThrow('fetch failed');
});

test('a call under way when the time is over is still answered', async () => {
  const door = await startTestGateway({ DRAIN_SECONDS: '0' });
  let answered = () => {};
  const working = new Promise<void>((resolve) => {
    door.replies['DoctorService.listDoctors'] = async () => {
      resolve();
      await new Promise<void>((release) => {
        answered = release;
      });
      return {};
    };
  });
  const asking = fetch(`${door.url}/api/doctors`, { headers: { Authorization: `Bearer ${await door.token()}` } });
  await working;
  const stopped = door.stop();
  await sleep(0);
  answered();
  expect((await asking).status).toBe(200);
  await stopped;
});
