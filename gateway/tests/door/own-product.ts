// A product of a test's own, in one process on free ports and a folder of its own: to configure, to fill or to break.
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Door } from '@clinic/lib/testing/door.ts';

export type OwnProduct = Door & { stop(): Promise<void> };

const PROJECT = path.resolve(import.meta.dirname, '../../..');
const LIMITS_OFF = { RATE_LIMIT_AUTH: 'off', RATE_LIMIT_DEMO: 'off', RATE_LIMIT_FEED: 'off', RATE_LIMIT_API: 'off' };

/** Starts it with the given settings. Rate limits are off and there is no demo clinic unless a setting says otherwise. */
export async function startOwnProduct(env: Record<string, string> = {}): Promise<OwnProduct> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'clinic-own-'));
  chmodSync(folder, 0o711); // PostgreSQL's own user passes through
  const child = spawn(process.execPath, [path.join(PROJECT, 'scripts/run.js'), 'start'], {
    cwd: PROJECT,
    env: { ...inherited(), PORT: '0', ADMIN_PORT: '0', DATA_DIR: folder, DEMO_SEED: 'false', ...LIMITS_OFF, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stop = async () => {
    await end(child);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const told = await readiness(child);
    const find = (pattern: RegExp) => pattern.exec(told)?.[1] ?? '';
    const [, email = '', password = ''] = /Demo sign-in +(\S+) (\S+)/.exec(told) ?? [];
    return {
      topology: 'single',
      baseUrl: find(/^ready (\S+)$/m),
      adminUrl: find(/Health +(\S+)\/readyz/),
      operatorKey: find(/Operator key +(\S+)/),
      demo: { email, password },
      dataDir: folder,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Nothing of a setting that happens to be in the environment of the tests may reach it. */
function inherited(): NodeJS.ProcessEnv {
  return Object.fromEntries(['PATH', 'HOME', 'TMPDIR', 'NODE_EXTRA_CA_CERTS'].flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
}

/** Everything it said up to its line `ready …`. */
function readiness(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let told = '';
    const hear = (chunk: Buffer) => {
      told += chunk.toString();
      if (/^ready \S+$/m.test(told)) resolve(told);
    };
    child.stdout?.on('data', hear);
    child.stderr?.on('data', hear);
    child.once('exit', (code) => reject(new Error(`the product ended with code ${code}:\n${told}`)));
  });
}

function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill('SIGTERM');
  });
}
