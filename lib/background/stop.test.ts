import { expect, test } from '@jest/globals';
import { stopAll } from './stop.ts';

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
