// Runs a script of the project against a running product, for tests.
import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { PROJECT } from '../../scripts/schemas.ts';

type Ran = { status: number | null; stdout: string; stderr: string };

/** Starts `node scripts/run.js <words>` on a data folder. `ran` fills as it goes. */
export function startScript(dataDir: string, ...words: string[]): { child: ChildProcess; ran: Ran; ended: Promise<void> } {
  const child = spawn(process.execPath, [path.join(PROJECT, 'scripts/run.js'), ...words], {
    cwd: PROJECT,
    env: { ...process.env, NODE_OPTIONS: '', DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ran: Ran = { status: null, stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    ran.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    ran.stderr += text;
  });
  const ended = new Promise<void>((resolve) => {
    child.once('close', (status) => {
      ran.status = status;
      resolve();
    });
  });
  return { child, ran, ended };
}

export async function runScript(dataDir: string, ...words: string[]): Promise<Ran> {
  const { ran, ended } = startScript(dataDir, ...words);
  await ended;
  return ran;
}
