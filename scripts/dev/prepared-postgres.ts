// A migrated PostgreSQL, created once in a test run. Products of tests start with a copy of it, because initdb and all migrations take seconds.
import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync } from 'node:fs';
import path from 'node:path';
import { withStoredSecrets } from './launch/secrets.ts';

/** The environment variable with its folder. */
export const PREPARED = 'CLINIC_PREPARED_POSTGRES';
/** Data is lost when the machine crashes, but not when PostgreSQL is killed. */
const SETTINGS = 'fsync = off\nfull_page_writes = off\n';

/** Copies the folder of a stopped PostgreSQL to `to`, for the processes that this one starts. */
export function retainPostgres(folder: string, to: string): void {
  copy(folder, to);
  appendFileSync(path.join(to, 'cluster/postgresql.conf'), SETTINGS);
  process.env[PREPARED] = to;
}

/** Copies the migrated PostgreSQL into an existing data folder that has no PostgreSQL, and generates its secrets. */
export function usePreparedPostgres(dataDir: string, env: NodeJS.ProcessEnv): void {
  const prepared = env[PREPARED];
  const folder = path.join(dataDir, 'postgres');
  if (!prepared || existsSync(folder)) return;
  withStoredSecrets({}, dataDir); // a database without the keys of its values is refused
  copy(prepared, folder);
}

/** Copies a folder with owners and modes. */
const copy = (from: string, to: string) => execFileSync('cp', ['-a', from, to]);
