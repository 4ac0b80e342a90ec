// Runs a simulator as a child process, which is restarted when it ends and stopped with this process.
import type { Stoppable } from '@clinic/lib/background/stop.ts';
import { spawnNode } from '../../spawn-node.ts';
import { isOk, until } from '../../until.ts';
import { supervise } from '../supervise.ts';
import { systemVariables } from '../system-variables.ts';

const WAITED_MS = 10_000;

type SimulatorProcess = {
  /** For messages. */
  name: string;
  /** Path from the root of the project. */
  program: string;
  env: NodeJS.ProcessEnv;
  /** A URL that responds once the simulator is running. */
  probe: string;
  running: Stoppable[];
  print: (line: string) => void;
};

export async function startSimulatorProcess({ name, program, env, probe, running, print }: SimulatorProcess): Promise<void> {
  const start = () => spawnNode(program, { env: { ...systemVariables(), ...env }, detached: true });
  running.push(supervise({ name, spawn: start, print }));
  await until(() => isOk(probe), WAITED_MS, 25);
}
