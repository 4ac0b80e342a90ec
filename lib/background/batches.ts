// Collects items, so that those which come while work is under way share the next piece of work.

type Waiting<T> = { item: T; resolve: () => void; reject: (error: unknown) => void };

/**
 * The returned function resolves when the item was worked on, and rejects when the work on its batch failed. At most `concurrent` batches of
 * at most `size` items are worked on at once.
 */
export function createBatches<T>(
  { size, concurrent = 1 }: { size: number; concurrent?: number },
  work: (items: T[]) => Promise<void>,
): (item: T) => Promise<void> {
  const waiting: Waiting<T>[] = [];
  let running = 0;

  async function next(): Promise<void> {
    if (running >= concurrent || waiting.length === 0) return;
    running++;
    const batch = waiting.splice(0, size);
    try {
      await work(batch.map(({ item }) => item));
      for (const { resolve } of batch) resolve();
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      running--;
    }
    void next();
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      void next();
    });
}
