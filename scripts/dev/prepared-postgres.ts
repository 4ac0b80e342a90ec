// A migrated PostgreSQL, made once in a test run. Products of tests begin with a copy of it, since initdb and all migrations take seconds.
import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync } from 'node:fs';
import path from 'node:path';

/** The variable that names its folder. */
export const PREPARED = 'CLINIC_PREPARED_POSTGRES';
/** Data would be lost if the machine ended, not if PostgreSQL is killed. */
const SETTINGS = 'fsync = off\nfull_page_writes = off\n';

/** Retains a copy of the folder, whose PostgreSQL has stopped, in `to`, for the processes that this one starts. */
export function retainPostgres(folder: string, to: string): void {
  copy(folder, to);
  appendFileSync(path.join(to, 'cluster/postgresql.conf'), SETTINGS);
  process.env[PREPARED] = to;
}

/** Adds the migrated PostgreSQL to a data folder that exists and has none. */
export function usePreparedPostgres(dataDir: string, env: NodeJS.ProcessEnv): void {
  const prepared = env[PREPARED];
  const folder = path.join(dataDir, 'postgres');
  if (prepared && !existsSync(folder)) copy(prepared, folder);
}

/** With its owners and modes. */
const copy = (from: string, to: string) => execFileSync('cp', ['-a', from, to]);
