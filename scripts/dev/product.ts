// Starts the product for end-to-end tests with the program of `npm start`, on free ports and a new data folder.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { PublicApi } from '@clinic/lib/testing/public-api.ts';
import { freePort } from '../../lib/runtime/free-port.ts';
import { hasEnded, spawnNode } from '../spawn-node.ts';
import { until } from '../until.ts';
import { readStoredSecrets } from './launch/secrets.ts';
import { usePreparedPostgres } from './prepared-postgres.ts';
import { tempFolder } from './temp-folder.ts';

type Topology = PublicApi['topology'];

const PROGRAMS: Record<Topology, string> = { single: 'start', distributed: 'start-distributed' };
export const UNLIMITED = {
  RATE_LIMIT_AUTH: 'off',
  RATE_LIMIT_DEMO: 'off',
  RATE_LIMIT_FEED: 'off',
  RATE_LIMIT_BOOKING: 'off',
  RATE_LIMIT_API: 'off',
  RATE_LIMIT_KEY: 'off',
};

export type Product = {
  api: PublicApi;
  child: ChildProcess;
  /** The output so far. */
  output(): string;
  /** Ends it with SIGINT and deletes its data folder unless DATA_DIR was set. */
  stop(): Promise<void>;
};

/** Resolves when the product has printed `ready`. Rejects with its output when it ends first or is not ready within ten minutes. */
export async function startProduct(topology: Topology, env: NodeJS.ProcessEnv = {}): Promise<Product> {
  const dataDir = env.DATA_DIR ?? tempFolder(`e2e-${topology}`);
  const port = env.PORT ?? String(await freePort());
  const adminPort = env.ADMIN_PORT ?? String(await freePort());
  usePreparedPostgres(dataDir, { ...process.env, ...env });
  const forTests = { NODE_OPTIONS: '', NODE_ENV: 'development', DEMO_HISTORY: 'false', START_SECONDS: '600', ...UNLIMITED };
  const own = { ...process.env, ...forTests, ...env, DATA_DIR: dataDir, PORT: port, ADMIN_PORT: adminPort };
  const child = spawnNode('scripts/run.js', { env: own, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] }, [PROGRAMS[topology]]);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const ended = once(child, 'exit');
  const stop = async () => {
    child.kill('SIGINT');
    await ended;
    if (!env.DATA_DIR) rmSync(dataDir, { recursive: true, force: true });
  };

  await ready(child, () => output).catch(async (error) => {
    await stop();
    throw error;
  });
  const { email, password } = JSON.parse(readFileSync(path.join(dataDir, 'demo.json'), 'utf8')) as PublicApi['demo'];
  const operatorKey = readStoredSecrets(dataDir).SUPERADMIN_KEYS?.split(':')[1] ?? '';
  const api = { topology, baseUrl: `http://localhost:${port}`, adminUrl: `http://localhost:${adminPort}`, operatorKey, demo: { email, password }, dataDir };
  return { api, child, output: () => output, stop };
}

async function ready(child: ChildProcess, output: () => string): Promise<void> {
  const isReady = () => /^ready /m.test(output());
  await until(() => isReady() || hasEnded(child), 600_000, 20); // includes downloading nats-server when the machine does not have it
  if (!isReady()) throw new Error(`the product ${hasEnded(child) ? 'ended before it was' : 'did not become'} ready:\n${output()}`);
}
