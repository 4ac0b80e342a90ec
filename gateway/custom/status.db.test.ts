import { ServiceError } from '@clinic/lib/errors/errors.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { startTestGateway, type TestGateway } from '../testing/test-gateway.ts';

let gateway: TestGateway;
beforeEach(async () => {
  gateway = await startTestGateway();
});
afterEach(() => gateway.stop());

const read = async () => (await (await fetch(`${gateway.url}/status`)).json()) as { status: string; components: { name: string; status: string }[] };

test('anyone sees which parts work, and concurrent requests share one check of each service', async () => {
  let checks = 0;
  gateway.replies['StatusService.checkStatus'] = () => {
    checks++;
    return {};
  };
  const [first] = await Promise.all([read(), read(), read()]);
  expect(first).toEqual({
    status: 'operational',
    components: ['accounts', 'appointments', 'dental', 'chat', 'billing', 'registration'].map((name) => ({ name, status: 'operational' })),
    maintenance: null,
    at: expect.any(String),
  });
  expect(checks).toBe(6);
  expect((await fetch(`${gateway.url}/status`)).headers.get('cache-control')).toBe('public, max-age=10');
  expect((await fetch(`${gateway.url}/status`, { method: 'POST' })).status).toBe(405);
});

test('a part that is unavailable is an outage', async () => {
  let checks = 0;
  gateway.replies['StatusService.checkStatus'] = () => {
    if (checks++ === 3) throw new ServiceError('UNAVAILABLE');
    return {};
  };
  expect(await read()).toMatchObject({ status: 'partial_outage', components: expect.arrayContaining([{ name: 'chat', status: 'outage' }]) });
});

test('maintenance is shown with its message', async () => {
  gateway.replies['AccessService.getOperatingState'] = () => ({ maintenance: { active: true, message: 'Mejoras' } });
  await waitFor(async () => expect(await read()).toMatchObject({ status: 'maintenance', maintenance: { until: null, message: 'Mejoras' } }));
});
