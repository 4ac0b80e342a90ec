// Sends requests at a fixed rate, whether or not earlier ones have been answered, and records the outcome of each.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, type Ask, send } from './clinic.ts';

export type Outcome = { kind: string; status: number; at: number; ms: number; ask: Ask; body: string };
export type Traffic = { outcomes: Outcome[]; stop(): Promise<void> };

/** `next` returns the request to send. `at` is in milliseconds since the start. */
export function drive(url: string, perSecond: number, next: (turn: number) => Ask): Traffic {
  const outcomes: Outcome[] = [];
  const started = performance.now();
  const waiting = new Set<Promise<void>>();
  let stopped = false;
  let turn = 0;

  const one = async (ask: Ask) => {
    const at = performance.now();
    const answer: Answer = await send(url, ask);
    outcomes.push({ kind: ask.kind, status: answer.status, at: at - started, ms: performance.now() - at, ask, body: answer.body });
  };
  const running = (async () => {
    while (!stopped) {
      const due = ((performance.now() - started) / 1_000) * perSecond;
      for (; turn < due; turn++) {
        const asking = one(next(turn));
        waiting.add(asking);
        void asking.finally(() => waiting.delete(asking));
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

export const failed = ({ status }: Outcome) => status === 0 || status >= 500;

/** `201 ×57, 503 ×3`, the most frequent first. */
export function tally(outcomes: Outcome[]): string {
  const counts = new Map<number, number>();
  for (const { status } of outcomes) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts]
    .toSorted(([, a], [, b]) => b - a)
    .map(([status, count]) => `${status || 'no answer'} ×${count}`)
    .join(', ');
}
