import { expect, test } from '@jest/globals';
import { stopAll, stopTogether } from './stop.ts';

test('all parts are stopped in reverse order, also after one that fails, and the errors are thrown at the end', async () => {
  const stopped: string[] = [];
  const part = (name: string, fails = false) => ({
    stop: async () => {
      stopped.push(name);
      if (fails) throw new Error(`${name} does not stop`);
    },
  });
  await expect(stopAll([part('database'), part('server', true), part('loop')])).rejects.toThrow('server does not stop');
  expect(stopped).toEqual(['loop', 'server', 'database']);
  await expect(stopAll([part('database', true), part('server', true)])).rejects.toMatchObject({
    errors: [new Error('server does not stop'), new Error('database does not stop')],
  });
});

test('parts that are stopped at the same time have all ended when the error of one is thrown', async () => {
  const slow = Promise.withResolvers<void>();
  const order: string[] = [];
  const failing = { stop: () => Promise.reject(new Error('loop does not stop')) };
  const stopping = stopTogether([failing, { stop: () => slow.promise.then(() => order.push('server')) }]).catch((error) => order.push(error.message));
  await Promise.resolve();
  slow.resolve();
  await stopping;
  expect(order).toEqual(['server', 'loop does not stop']);
});
