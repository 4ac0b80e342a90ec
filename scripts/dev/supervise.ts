// Restarts a child process that ends unexpectedly, with a growing delay while it ends soon after its start.
import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

export type Supervised = { pid(): number | undefined; stop(): Promise<void> };

type Options = {
  name: string;
  /** Starts the child; called again after each unexpected end. */
  spawn: () => ChildProcess;
  say: (line: string) => void;
  /** Sent to stop the child, one after another, 10 seconds apart. */
  signals?: NodeJS.Signals[];
};

const STEADY_MS = 30_000;

export function supervise({ name, spawn, say, signals = ['SIGTERM', 'SIGKILL'] }: Options): Supervised {
  let stopping = false;
  let delay = 250;
  let child: ChildProcess;
  let ended: Promise<void>;
  const interrupt = new AbortController();

  start();
  return { pid: () => child.pid, stop };

  function start() {
    const started = performance.now();
    child = spawn();
    const { promise, resolve } = Promise.withResolvers<void>();
    ended = promise;
    child.once('error', (error) => {
      say(`${name}: ${error.message}`);
      resolve();
    });
    child.once('exit', (code, signal) => {
      resolve();
      if (!stopping) void again(started, signal ?? `code ${code}`);
    });
  }

  async function again(started: number, how: string) {
    delay = performance.now() - started > STEADY_MS ? 250 : Math.min(delay * 2, 10_000);
    say(`${name} ended (${how}); starting it again in ${delay} ms`);
    await sleep(delay, undefined, { signal: interrupt.signal }).catch(() => {});
    if (!stopping) start();
  }

  async function stop() {
    stopping = true;
    interrupt.abort();
    for (const signal of signals) {
      if (child.exitCode !== null || child.signalCode !== null || !child.pid) return;
      child.kill(signal);
      await Promise.race([ended, sleep(10_000, undefined, { ref: false })]);
    }
  }
}
