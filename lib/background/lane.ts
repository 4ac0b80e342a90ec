// Limits how many pieces of expensive work a process does at once, such as images or documents. Excess callers wait in a short queue; when it is
// full they are refused, so that the client retries later. Items that one statement or request can handle together belong in batches.ts.
import { RETRY_AFTER, ServiceError } from '../errors/errors.ts';

/**
 * Resolves when the work may begin, to a function that must be called exactly once when the work has ended. Throws UNAVAILABLE with Retry-After
 * when the queue is full or the wait exceeds `maxWaitMs`.
 */
export type Lane = () => Promise<() => void>;

export type LaneOptions = { concurrent: number; waiting: number; maxWaitMs?: number };

/** Less than the 10 seconds after which the caller of an RPC gives up. */
const MAX_WAIT_MS = 8_000;

/** At most `concurrent` pieces of work run at once; at most `waiting` callers wait, in order of arrival. All others are refused. */
export function createLane({ concurrent, waiting, maxWaitMs = MAX_WAIT_MS }: LaneOptions): Lane {
  const queue: (() => void)[] = [];
  let running = 0;

  function leave(): void {
    const next = queue.shift();
    if (next)
      next(); // takes over this place
    else running--;
  }

  function turn(): Promise<void> {
    return new Promise((resolve, reject) => {
      const begin = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        queue.splice(queue.indexOf(begin), 1);
        reject(busy());
      }, maxWaitMs);
      queue.push(begin);
    });
  }

  return async () => {
    if (running < concurrent) running++;
    else if (queue.length < waiting) await turn();
    else throw busy();
    return leave;
  };
}

const busy = () => new ServiceError('UNAVAILABLE', undefined, [{ path: RETRY_AFTER, message: '5' }]);
