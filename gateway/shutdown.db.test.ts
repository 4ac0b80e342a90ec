// Shutdown behind a load balancer: the gateway first reports that it is not ready, and stops only after DRAIN_SECONDS.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { startTestGateway } from './testing/test-gateway.ts';

test('while it drains, the gateway is not ready, still responds and closes connections; then it stops', async () => {
  const gateway = await startTestGateway({ DRAIN_SECONDS: '1.5' });
  const request = () => fetch(`${gateway.url}/api/openapi.json`);
  const before = await request();
  expect(before.headers.get('connection')).toBe('keep-alive');
  expect((await fetch(`${gateway.adminUrl}/readyz`)).status).toBe(200);

  const stopped = gateway.stop();
  const during = await request();
  expect(during.status).toBe(200);
  expect(during.headers.get('connection')).toBe('close');
  expect((await fetch(`${gateway.adminUrl}/readyz`)).status).toBe(503);

  await stopped;
  await expect(request()).rejects.toThrow('fetch failed');
});

test('a request that is running at the end of the drain time is completed', async () => {
  const gateway = await startTestGateway({ DRAIN_SECONDS: '0' });
  let complete = () => {};
  const working = new Promise<void>((resolve) => {
    gateway.replies['DoctorService.listDoctors'] = async () => {
      resolve();
      await new Promise<void>((release) => {
        complete = release;
      });
      return {};
    };
  });
  const response = fetch(`${gateway.url}/api/doctors`, { headers: { Authorization: `Bearer ${await gateway.token()}` } });
  await working;
  const stopped = gateway.stop();
  await sleep(0);
  complete();
  expect((await response).status).toBe(200);
  await stopped;
});
