// The queue of password hashes: its order, and who is refused when it is full.
import { describe, expect, test } from '@jest/globals';
import { createHashQueue } from './hash-queue.ts';

describe('the queue of hashes', () => {
  /** A queue that runs one function at a time. */
  const turns = () => {
    const order: string[] = [];
    const gates: (() => void)[] = [];
    const queued = createHashQueue(1, 6);
    const add = (name: string, known: boolean, network: string, account = name) =>
      queued({ known, network, account }, () => {
        order.push(name);
        return new Promise<void>((resolve) => gates.push(resolve));
      });
    const finish = async () => {
      for (let done = 0; done < gates.length; done++) {
        gates[done]?.();
        await new Promise(setImmediate);
      }
      return order;
    };
    return { add, finish };
  };

  test('known clients go first, networks take turns, and so do the accounts of a network', async () => {
    const { add, finish } = turns();
    const all = [add('flood1', false, 'a', 'x'), add('flood2', false, 'a', 'x'), add('flood3', false, 'a', 'x'), add('eva', false, 'a'), add('ana', true, 'c')];
    all.push(add('luz', false, 'b'));
    expect(await finish()).toEqual(['flood1', 'ana', 'luz', 'eva', 'flood2', 'flood3']);
    await Promise.all(all);
  });

  // Each of 120 connections sends a wrong password for another account as soon as it has the response to the one before.
  test.each([
    ['one network', () => 'flood', 1],
    ['another network each time', (n: number) => `flood${n}`, 120],
  ])(
    'a flood of 120 connections from %s: none is refused, and a sign-in from a new address waits for a limited number of turns',
    async (_from, networkOf, turns) => {
      const queued = createHashQueue(2, 256);
      const order: string[] = [];
      const gates: (() => void)[] = [];
      const hash = (account: string, network: string) =>
        queued({ known: false, network, account }, () => {
          order.push(account);
          return new Promise<void>((resolve) => gates.push(resolve));
        });
      let sent = 0;
      const flood = Array.from({ length: 120 }, async () => {
        while (sent < 1_000) await hash(`wrong${++sent}`, networkOf(sent));
      });
      const good: Promise<void>[] = [];
      const started: number[] = [];
      for (let done = 0; done < gates.length; done++) {
        if (done % 100 === 50) {
          started.push(order.length);
          good.push(hash(`good${good.length}`, `new${done}`));
        }
        gates[done]?.();
        await new Promise(setImmediate);
      }
      await Promise.all([...flood, ...good]);
      expect(good.length).toBeGreaterThan(9);
      for (const [n, before] of started.entries()) expect(order.indexOf(`good${n}`) - before).toBeLessThan(turns);
    },
  );

  test('when it is full, the network with the most loses its last one', async () => {
    const { add, finish } = turns();
    const flood = Array.from({ length: 9 }, (_, n) => add(`flood${n}`, false, 'a'));
    const good = add('ana', false, 'b');
    const refused = Promise.allSettled(flood);
    expect(await finish()).toContain('ana');
    await good;
    const reasons = (await refused).flatMap((one) => (one.status === 'rejected' ? [one.reason.reason] : []));
    expect(reasons).toEqual(['UNAVAILABLE', 'UNAVAILABLE', 'UNAVAILABLE']);
  });
});
