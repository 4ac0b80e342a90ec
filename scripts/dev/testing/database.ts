// One PostgreSQL and one migrated template database for all tests that need a database; each of them clones the template. Products of tests
// begin with a copy of the same PostgreSQL.
import { rmSync } from 'node:fs';
import path from 'node:path';
import { migrate } from '@clinic/lib/db/migrate.ts';
import pg from 'pg';
import { schemaSources } from '../../schemas.ts';
import { findNatsServer } from '../embedded/nats-server.ts';
import { type Embedded, startPostgres } from '../embedded/postgres.ts';
import { retainPostgres } from '../prepared-postgres.ts';
import { tempFolder } from '../temp-folder.ts';

/** Databases that live for seconds need no vacuum, and no WAL for replicas and archives. */
const FOR_SHORT_LIVED = ['autovacuum=off', 'wal_level=minimal', 'max_wal_senders=0'];

let postgres: Embedded | undefined;
let folder: string | undefined;

export async function setup(): Promise<void> {
  folder = tempFolder('tests');
  const natsServer = findNatsServer(folder, () => {});
  const start = (dataDir: string) => startPostgres({ dataDir, fleeting: true, settings: FOR_SHORT_LIVED });
  const first = await start(folder);
  await migrate(first.url, schemaSources());
  await first.stop();
  retainPostgres(path.join(folder, 'postgres'), path.join(folder, 'prepared'));
  postgres = await start(folder);
  const owner = new pg.Client({ connectionString: postgres.url });
  await owner.connect();
  await owner.query('create database clinic_template template clinic is_template true allow_connections false strategy file_copy');
  await owner.end();
  process.env.CLINIC_TEST_DATA_DIR = path.join(folder, 'data');
  process.env.CLINIC_TEST_DATABASE = postgres.url;
  process.env.CLINIC_TEST_NATS_SERVER = await natsServer;
}

export async function teardown(): Promise<void> {
  await postgres?.stop();
  if (folder) rmSync(folder, { recursive: true, force: true });
}
