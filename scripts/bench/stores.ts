// PostgreSQL with a large and a small database, and a NATS for each, all in a temporary folder.
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Stoppable } from '@clinic/lib/background/stop.ts';
import { migrate } from '@clinic/lib/db/migrate.ts';
import { query } from '../database.ts';
import { pidIn } from '../dev/embedded/leftover.ts';
import { startNats } from '../dev/embedded/nats.ts';
import { startPostgres } from '../dev/embedded/postgres.ts';
import { withStoredSecrets } from '../dev/launch/secrets.ts';
import { UNLIMITED } from '../dev/product.ts';
import { familyOf, type Part } from '../processes.ts';
import { schemaSources } from '../schemas.ts';

export type Store = {
  ownerUrl: string;
  /** The environment of a product that uses it, with rate limits off. */
  env: NodeJS.ProcessEnv;
  /** PostgreSQL and NATS. */
  parts: Part[];
};

/** Starts everything, pushes it onto `running` and returns the stores by name. `settings` are PostgreSQL's. */
export async function openStores(names: string[], running: Stoppable[], settings: string[] = []): Promise<Map<string, Store>> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'clinic-bench-'));
  chmodSync(folder, 0o711); // PostgreSQL runs as another user under root
  running.push({ stop: async () => rmSync(folder, { recursive: true, force: true }) });
  const database = await startPostgres({ dataDir: folder, settings });
  running.push(database);
  const postgres = { name: 'postgres', pids: () => familyOf(pidIn(path.join(folder, 'postgres/cluster/postmaster.pid'))) };

  const stores = new Map<string, Store>();
  for (const name of names) {
    const dataDir = path.join(folder, name);
    mkdirSync(dataDir, { mode: 0o711 });
    const nats = await startNats({ dataDir, open: true });
    running.push(nats);
    const ownerUrl = await createDatabase(database.url, name);
    const { NODE_OPTIONS: _, ...inherited } = process.env;
    const env = withStoredSecrets(
      { ...inherited, ...UNLIMITED, DATA_DIR: dataDir, DATABASE_URL: ownerUrl, NATS_URL: nats.url, NODE_ENV: 'development' },
      dataDir,
    );
    stores.set(name, { ownerUrl, env, parts: [postgres, { name: 'nats', pids: () => [pidIn(path.join(dataDir, 'nats/nats.pid'))] }] });
  }
  return stores;
}

async function createDatabase(serverUrl: string, name: string): Promise<string> {
  await query(serverUrl, `create database ${name}`);
  const url = new URL(`/${name}`, serverUrl).toString();
  await migrate(url, schemaSources());
  return url;
}
