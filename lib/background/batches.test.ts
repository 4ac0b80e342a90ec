import { expect, test } from '@jest/globals';
import { createBatches } from './batches.ts';

test('items that arrive together share a batch, and items that arrive during a batch share the next one', async () => {
  const sizes: number[] = [];
  const release = Promise.withResolvers<void>();
  const began = Promise.withResolvers<void>();
  const double = createBatches<number, number>({ size: 10 }, async (items) => {
    sizes.push(items.length);
    began.resolve();
    await release.promise;
    return items.map((item) => item * 2);
  });
  const first = [1, 2, 3].map(double);
  await began.promise;
  const second = [4, 5].map(double);
  release.resolve();
  expect(await Promise.all([...first, ...second])).toEqual([2, 4, 6, 8, 10]);
  expect(sizes).toEqual([3, 2]);
});

test('a batch that fails rejects its own items only', async () => {
  const add = createBatches<number>({ size: 2 }, async (items) => {
    if (items.includes(1)) throw new Error('the batch failed');
  });
  const results = await Promise.allSettled([1, 2, 3].map(add));
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
});

test('no more than `concurrent` batches run at once', async () => {
  let running = 0;
  let most = 0;
  const add = createBatches<number>({ size: 1, concurrent: 2 }, async () => {
    most = Math.max(most, ++running);
    await new Promise(setImmediate);
    running--;
  });
  await Promise.all([1, 2, 3, 4, 5].map(add));
  expect(most).toBe(2);
});
