// Runs a command of `npm run ops` against a running product, for the tests.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { PROJECT } from '../schemas.ts';

export type Ran = { status: number | null; stdout: string; stderr: string };

/** Runs `node scripts/run.js <words>` on a data folder. */
export function runScript(dataDir: string, ...words: string[]): Promise<Ran> {
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
  return new Promise((resolve) => child.once('close', (status) => resolve({ ...ran, status })));
}
