// Password hashing: its limits, and accounts that do not exist.
import { describe, expect, test } from '@jest/globals';
import { createPasswords } from './passwords.ts';

describe('passwords', () => {
  test('are hashed a few at a time, wait in a short queue, and are rejected when it is full', async () => {
    const started: (() => void)[] = [];
    const slow = { hash: async () => 'hash', verify: () => new Promise<boolean>((resolve) => started.push(() => resolve(true))) };
    const passwords = await createPasswords(slow, { running: 2, waiting: 3 });
    const from = (n: number) => ({ known: false, network: `10.0.0.${n}`, account: 'ana' });
    const flood = Promise.allSettled(Array.from({ length: 7 }, (_, n) => passwords.verify('hash', 'x', from(n))));
    await new Promise(setImmediate);
    expect(started).toHaveLength(2);
    started[0]?.();
    await new Promise(setImmediate);
    const late = passwords.verify('hash', 'x', from(9));
    expect(started).toHaveLength(3);
    for (let done = 1; done < 6; done += 1) {
      started[done]?.();
      await new Promise(setImmediate);
    }
    expect(await late).toBe(true);
    const results = (await flood).map((one) => (one.status === 'fulfilled' ? one.value : one.reason.reason));
    expect(results.sort()).toEqual(['UNAVAILABLE', 'UNAVAILABLE', ...Array(5).fill(true)]);
  });

  test('never match without an account', async () => {
    const passwords = await createPasswords({ hash: async () => 'hash', verify: async () => true });
    const who = { known: false, network: 'a', account: 'b' };
    expect([await passwords.verify('hash', 'x', who), await passwords.verify(undefined, 'x', who)]).toEqual([true, false]);
  });
});
