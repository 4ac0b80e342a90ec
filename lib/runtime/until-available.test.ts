import { expect, test } from '@jest/globals';
import { StartError, untilAvailable } from './until-available.ts';

const refused = () => Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' });

test('a start is repeated until its dependencies are available', async () => {
  let attempts = 0;
  const work = async () => {
    if (++attempts < 3) throw refused();
    return 'started';
  };
  expect(await untilAvailable(10, work)).toBe('started');
});

test('a start that takes too long fails with a message of one sentence', async () => {
  const start = untilAvailable(0.1, () => Promise.reject(refused()));
  await expect(start).rejects.toThrow(new StartError('PostgreSQL was not available within 0.1 seconds (START_SECONDS): connect ECONNREFUSED 127.0.0.1:1'));
});

test('a start that fails for another reason is not repeated', async () => {
  const error = Object.assign(new Error('password authentication failed'), { code: '28P01' });
  await expect(untilAvailable(10, () => Promise.reject(error))).rejects.toBe(error);
});
