// One process of the product, which can be stopped and started again on the same ports.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { NODE_FLAGS } from '../node-flags.ts';
import { PROJECT } from '../schemas.ts';

const FOLLOW_PARENT = path.join(PROJECT, 'scripts/dev/launch/follow-parent.ts');

/** As an orchestrator does, a process that ends before it is ready is started again. */
const MAX_STARTS = 3;

/** How a process ended. */
export type End = { code: number | null; seconds: number };

export type Process = {
  /** `identity-1`. */
  name: string;
  service: string;
  /** Starts the code of `tree`, by default of this one. Resolves when it is ready. */
  start(tree?: string): Promise<void>;
  /** Sends SIGTERM and returns how the process ended. */
  end(): Promise<End>;
};

/** `program` is relative to the tree; /readyz is on `opsPort`. Each start has the settings of that time. */
export function processOf(one: { name: string; service: string; program: string; env: () => NodeJS.ProcessEnv; opsPort: number }): Process {
  const { name, service, program, env, opsPort } = one;
  let child: ChildProcess | undefined;
  return {
    name,
    service,
    async start(tree = PROJECT) {
      const launch = () =>
        spawn(process.execPath, [...NODE_FLAGS, '--import', FOLLOW_PARENT, path.join(tree, program)], {
          env: env(),
          stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
        });
      child = launch();
      for (let starts = 1; !(await ready(opsPort)); ) {
        if (child.exitCode !== null) {
          if (starts++ === MAX_STARTS) throw new Error(`${name} ended with code ${child.exitCode} before it was ready`);
          child = launch();
        }
        await sleep(50);
      }
    },
    async end() {
      const ending = child;
      if (!ending || ending.exitCode !== null || ending.signalCode !== null) return { code: ending?.exitCode ?? null, seconds: 0 };
      const asked = performance.now();
      const ended = once(ending, 'exit');
      ending.kill('SIGTERM');
      const [code] = (await ended) as [number | null];
      return { code, seconds: (performance.now() - asked) / 1_000 };
    },
  };
}

function ready(opsPort: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${opsPort}/readyz`, { signal: AbortSignal.timeout(2_000) }).then(
    ({ ok }) => ok,
    () => false,
  );
}
