// One process of the product that can be stopped and restarted on the same ports.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PROJECT } from '../schemas.ts';
import { hasEnded, spawnNode } from '../spawn-node.ts';
import { isOk } from '../until.ts';

/** A process that ends before it is ready is restarted, as by an orchestrator. */
const MAX_STARTS = 3;

export type Process = ReturnType<typeof processOf>;

type Options = {
  /** For example `identity-1`. */
  name: string;
  service: string;
  /** The path of the program in the tree. */
  program: string;
  /** Called at each start. */
  env: () => NodeJS.ProcessEnv;
  /** The port that serves /readyz. */
  opsPort: number;
};

export function processOf({ name, service, program, env, opsPort }: Options) {
  let child: ChildProcess | undefined;
  return {
    name,
    service,
    /** Starts the process with the code of `tree`. Resolves when it is ready. */
    async start(tree = PROJECT) {
      const launch = () => spawnNode(path.join(tree, program), { env: env() });
      child = launch();
      for (let starts = 1; !(await isOk(`http://127.0.0.1:${opsPort}/readyz`, 2_000)); ) {
        if (hasEnded(child)) {
          if (starts++ === MAX_STARTS) throw new Error(`${name} ended with ${child.signalCode ?? `code ${child.exitCode}`} before it was ready`);
          child = launch();
        }
        await sleep(50);
      }
    },
    /** Sends SIGTERM, and returns the exit code and the time until the process ended. */
    async end(): Promise<{ code: number | null; seconds: number }> {
      const ending = child;
      if (!ending || hasEnded(ending)) return { code: ending?.exitCode ?? null, seconds: 0 };
      const signalled = performance.now();
      const ended = once(ending, 'exit');
      ending.kill('SIGTERM');
      const [code] = (await ended) as [number | null];
      return { code, seconds: (performance.now() - signalled) / 1_000 };
    },
  };
}
