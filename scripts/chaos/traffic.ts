// Sends requests at a fixed rate, whether or not earlier ones have been answered, and records the outcome of each.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Ask, send } from './clinic.ts';

export type Outcome = { kind: string; status: number; at: number; ms: number; ask: Ask; body: string };
type Traffic = { outcomes: Outcome[]; stop(): Promise<void> };

/** Sends the requests that `next` returns. `at` of an outcome is in milliseconds since the start. */
export function drive(url: string, perSecond: number, next: (turn: number) => Ask): Traffic {
  const outcomes: Outcome[] = [];
  const started = performance.now();
  const waiting = new Set<Promise<void>>();
  let stopped = false;
  let turn = 0;

  const one = async (ask: Ask) => {
    const at = performance.now();
    const answer = await send(url, ask);
    outcomes.push({ kind: ask.kind, ...answer, at: at - started, ms: performance.now() - at, ask });
  };
  const running = (async () => {
    while (!stopped) {
      const due = ((performance.now() - started) / 1_000) * perSecond;
      for (; turn < due; turn++) {
        const request = one(next(turn));
        waiting.add(request);
        void request.finally(() => waiting.delete(request));
      }
      await sleep(5);
    }
  })();
  return {
    outcomes,
    async stop() {
      stopped = true;
      await running;
      await Promise.all(waiting);
    },
  };
}

/** Sends requests of all kinds in turn. */
export const driveInTurn = (url: string, perSecond: number, kinds: (() => Ask)[]) =>
  drive(url, perSecond, (turn) => (kinds[turn % kinds.length] as () => Ask)());

/** The seconds from `since` until a request of every kind succeeds; undefined when that takes more than a minute. */
export async function untilAnswered(url: string, kinds: (() => Ask)[], since: number): Promise<number | undefined> {
  while (performance.now() - since < 60_000) {
    const answers = await Promise.all(kinds.map((make) => send(url, make())));
    if (answers.every(({ status }) => status > 0 && status < 500)) return (performance.now() - since) / 1_000;
    await sleep(100);
  }
  return undefined;
}

export const failed = ({ status }: Outcome) => status === 0 || status >= 500;

/** `201 ×57, 503 ×3`, the most frequent first. */
export function tally(outcomes: Outcome[]): string {
  return [...Map.groupBy(outcomes, ({ status }) => status)]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .map(([status, all]) => `${status || 'no answer'} ×${all.length}`)
    .join(', ');
}
