// PostgreSQL with a large and a small database, and a NATS for each, all in a temporary folder.
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Stoppable } from '@clinic/lib/background/stop.ts';
import { migrate } from '@clinic/lib/db/migrate.ts';
import pg from 'pg';
import { startNats } from '../dev/embedded/nats.ts';
import { startPostgres } from '../dev/embedded/postgres.ts';
import { withStoredSecrets } from '../dev/launch/secrets.ts';
import { schemaSources } from '../schemas.ts';
import { familyOf, type Part } from './processes.ts';

export type Store = {
  ownerUrl: string;
  /** What the product needs to run on it, limits off. */
  env: NodeJS.ProcessEnv;
  /** PostgreSQL and NATS. */
  parts: Part[];
};

const LIMITS_OFF = {
  RATE_LIMIT_AUTH: 'off',
  RATE_LIMIT_DEMO: 'off',
  RATE_LIMIT_FEED: 'off',
  RATE_LIMIT_BOOKING: 'off',
  RATE_LIMIT_API: 'off',
  RATE_LIMIT_KEY: 'off',
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
    const ownerUrl = await makeDatabase(database.url, name);
    const { NODE_OPTIONS: _, ...inherited } = process.env;
    const env = withStoredSecrets(
      { ...inherited, ...LIMITS_OFF, DATA_DIR: dataDir, DATABASE_URL: ownerUrl, NATS_URL: nats.url, NODE_ENV: 'development' },
      dataDir,
    );
    stores.set(name, { ownerUrl, env, parts: [postgres, { name: 'nats', pids: () => [pidIn(path.join(dataDir, 'nats/nats.pid'))] }] });
  }
  return stores;
}

async function makeDatabase(serverUrl: string, name: string): Promise<string> {
  await ask(serverUrl, `create database ${name}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  await migrate(url.toString(), schemaSources());
  return url.toString();
}

/** Runs one statement on a connection of its own. */
export async function ask<Row extends pg.QueryResultRow>(connectionString: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

const pidIn = (file: string) => Number(readFileSync(file, 'utf8').split('\n')[0]);
