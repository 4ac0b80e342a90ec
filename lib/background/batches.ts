// Combines single items into batches: items that arrive together, or while a batch is in progress, share the next call of `work`. Each caller
// awaits the result for its own item. To limit work that cannot be combined, use lane.ts.
import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * The returned function resolves to the result for its item and rejects when `work` failed for its batch. `work` returns one result per item,
 * in the same order, or nothing. At most `concurrent` batches run at once, each with at most `size` items. `gather` delays the start of a batch
 * until it resolves, so that more items join; it must not reject.
 */
export function createBatches<T, R = void>(
  { size, concurrent = 1, gather }: { size: number; concurrent?: number; gather?: () => Promise<unknown> },
  work: (items: T[]) => Promise<R[]> | Promise<void>,
): (item: T) => Promise<R> {
  const waiting: (PromiseWithResolvers<R> & { item: T })[] = [];
  let running = 0;

  async function run(): Promise<void> {
    running++;
    await gather?.();
    await nextTurn(); // items that are added in the same turn of the event loop join the batch
    const batch = waiting.splice(0, size);
    try {
      const results = await work(batch.map(({ item }) => item));
      for (const [index, { resolve }] of batch.entries()) resolve(results?.[index] as R);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      running--;
    }
    start();
  }

  function start(): void {
    if (running < concurrent && waiting.length > 0) void run();
  }

  return (item) => {
    const result = Promise.withResolvers<R>();
    waiting.push({ item, ...result });
    start();
    return result.promise;
  };
}
