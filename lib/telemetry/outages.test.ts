import { expect, jest, test } from '@jest/globals';
import prom from 'prom-client';
import { createLog } from './log.ts';
import { watchOutage } from './outages.ts';

const valuesOf = async (address: string) =>
  (await prom.register.getSingleMetric('clinic_dependency_up')?.get())?.values.filter(({ labels }) => labels.address === address).map(({ value }) => value);

test('a dependency has no value before its first use, so that a process that never uses it does not report it as unavailable', async () => {
  const address = 'outages-test:1';
  const outage = watchOutage(createLog('test', 'silent'), 'JetStream', address);
  expect(await valuesOf(address)).toEqual([]);
  outage.succeeded();
  expect(await valuesOf(address)).toEqual([1]);
  outage.failed(new Error('the server does not answer'));
  expect(await valuesOf(address)).toEqual([0]);
});

test('an outage is logged once when it begins and once when it is over', () => {
  const now = jest.spyOn(performance, 'now').mockReturnValue(0);
  const lines: string[] = [];
  const outage = watchOutage(createLog('test', 'info', { write: (line: string) => lines.push(JSON.parse(line).msg) }), 'identity', 'outages-test:2');
  for (let times = 0; times < 3; times++) outage.failed(new Error('refused'));
  outage.succeeded();
  expect(lines).toEqual(['identity is unavailable']);
  now.mockReturnValue(3_000);
  outage.succeeded();
  outage.succeeded();
  expect(lines).toEqual(['identity is unavailable', 'identity is available again']);
  now.mockRestore();
});
