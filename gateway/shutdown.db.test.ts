// Shutdown behind a load balancer: the gateway first reports that it is not ready, and stops only after DRAIN_SECONDS.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { startTestGateway } from './testing/test-gateway.ts';

test('after the signal it is not ready, still answers, closes connections, and stops after its drain time', async () => {
  const gateway = await startTestGateway({ DRAIN_SECONDS: '1.5' });
  const asked = () => fetch(`${gateway.url}/api/openapi.json`);
  const before = await asked();
  expect(before.headers.get('connection')).toBe('keep-alive');
  expect((await fetch(`${gateway.adminUrl}/readyz`)).status).toBe(200);

  const stopped = gateway.stop();
  const during = await asked();
  expect(during.status).toBe(200);
  expect(during.headers.get('connection')).toBe('close');
  expect((await fetch(`${gateway.adminUrl}/readyz`)).status).toBe(503);

  await stopped;
  await expect(asked()).rejects.toThrow('fetch failed');
});

test('a request that is running at the end of the drain time is still answered', async () => {
  const gateway = await startTestGateway({ DRAIN_SECONDS: '0' });
  let answered = () => {};
  const working = new Promise<void>((resolve) => {
    gateway.replies['DoctorService.listDoctors'] = async () => {
      resolve();
      await new Promise<void>((release) => {
        answered = release;
      });
      return {};
    };
  });
  const asking = fetch(`${gateway.url}/api/doctors`, { headers: { Authorization: `Bearer ${await gateway.token()}` } });
  await working;
  const stopped = gateway.stop();
  await sleep(0);
  answered();
  expect((await asking).status).toBe(200);
  await stopped;
});
