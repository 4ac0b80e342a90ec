// Starts a program of the product as a child process that ends with this process, even after kill -9.
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import path from 'node:path';
import { NODE_FLAGS } from './node-flags.ts';
import { PROJECT } from './schemas.ts';

const FOLLOW_PARENT = path.join(PROJECT, 'scripts/dev/launch/follow-parent.ts');

/** `program` is a path from the root of the project. */
export function spawnNode(program: string, options: SpawnOptions, args: string[] = []): ChildProcess {
  const all = [...NODE_FLAGS, '--import', FOLLOW_PARENT, path.resolve(PROJECT, program), ...args];
  return spawn(process.execPath, all, { cwd: PROJECT, stdio: ['ignore', 'inherit', 'inherit', 'ipc'], ...options });
}

export const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null;
