// Runs a simulator as a child process: restarted when it ends, stopped with this process.
import { spawn } from 'node:child_process';
import path from 'node:path';
import type { Stoppable } from '@clinic/lib/background/stop.ts';
import { PROJECT } from '../../schemas.ts';
import { supervise } from '../supervise.ts';
import { pick, SYSTEM_VARIABLES } from './system-variables.ts';

type SimulatorProcess = {
  /** For messages. */
  name: string;
  /** Path from the root of the project. */
  program: string;
  env: NodeJS.ProcessEnv;
  /** An address that answers once it runs. */
  probe: string;
  running: Stoppable[];
  say: (line: string) => void;
};

export async function startSimulatorProcess({ name, program, env, probe, running, say }: SimulatorProcess): Promise<void> {
  const parts = ['--import', path.join(PROJECT, 'scripts/dev/launch/follow-parent.ts'), path.join(PROJECT, program)];
  const start = () =>
    spawn(process.execPath, parts, {
      cwd: PROJECT,
      env: { ...pick(process.env, SYSTEM_VARIABLES), ...env },
      detached: true,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
  running.push(supervise({ name, spawn: start, say }));
  await answering(probe);
}

async function answering(url: string): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const ok = await fetch(url).then(
      (response) => response.ok,
      () => false,
    );
    if (ok) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
