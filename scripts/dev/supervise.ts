// Restarts a child process that ends unexpectedly. The delay grows while the process keeps ending soon after its start.
import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasEnded } from '../spawn-node.ts';

export type Supervised = ReturnType<typeof supervise>;

type Options = {
  name: string;
  /** Starts the child; called again after each unexpected end. */
  spawn: () => ChildProcess;
  print: (line: string) => void;
  /** Sent in this order to stop the child, 10 seconds apart. */
  signals?: NodeJS.Signals[];
};

const STEADY_MS = 30_000;

export function supervise({ name, spawn, print, signals = ['SIGTERM', 'SIGKILL'] }: Options) {
  let stopping = false;
  /** Set while the child is paused. */
  let gate: PromiseWithResolvers<void> | undefined;
  let delay = 250;
  let child: ChildProcess;
  let ended: Promise<void>;
  const interrupt = new AbortController();

  start();
  return { pid: () => child.pid, restart, pause, resume, stop };

  function start() {
    const started = performance.now();
    child = spawn();
    const { promise, resolve } = Promise.withResolvers<void>();
    ended = promise;
    const restartAfter = (how: string) => {
      resolve();
      if (!stopping) void again(started, how);
    };
    child.on('error', (error) => {
      // No `exit` follows when the child could not be started.
      if (child.pid === undefined) restartAfter(error.message);
      else print(`${name}: ${error.message}`);
    });
    child.once('exit', (code, signal) => restartAfter(signal ?? `code ${code}`));
  }

  async function again(started: number, how: string) {
    if (!gate) await backOff(started, how);
    await gate?.promise;
    if (!stopping) start();
  }

  async function backOff(started: number, how: string) {
    delay = performance.now() - started > STEADY_MS ? 250 : Math.min(delay * 2, 10_000);
    print(`${name} ended (${how}); restarting it in ${delay} ms`);
    await sleep(delay, undefined, { signal: interrupt.signal }).catch(() => {});
  }

  /** Kills a child that no longer works, so that it is restarted. */
  function restart(why: string) {
    print(`${name} ${why}; it is killed and restarted`);
    child.kill('SIGKILL');
  }

  /** Ends the child until resume(). */
  async function pause(why: string) {
    gate = Promise.withResolvers();
    print(`${name} is stopped: ${why}`);
    await end();
  }

  function resume(why: string) {
    print(`${name} is restarted: ${why}`);
    gate?.resolve();
    gate = undefined;
  }

  async function stop() {
    stopping = true;
    gate?.resolve();
    interrupt.abort();
    await end();
  }

  async function end() {
    for (const signal of signals) {
      if (hasEnded(child) || !child.pid) return;
      child.kill(signal);
      await Promise.race([ended, sleep(10_000, undefined, { ref: false })]);
    }
  }
}
