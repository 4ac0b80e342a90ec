// A migrated database for one test suite: a clone of the template that the global setup created.
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { DatabaseUrls } from '../db/db.ts';
import { databaseUrls } from '../db/migrate.ts';

export type TestDatabase = {
  /** URL of the owner of the database, who sees the rows of all clinics and services. */
  ownerUrl: string;
  /** URLs of the two roles of a service, by its schema. */
  urls(schema: string): DatabaseUrls;
  drop(): Promise<void>;
};

export async function testDatabase(): Promise<TestDatabase> {
  const server = process.env.CLINIC_TEST_DATABASE;
  if (!server) throw new Error('CLINIC_TEST_DATABASE is not set: name the test *.db.test.ts, so that it runs in the jest project `services`');
  const owner = ownerOf(server);
  const name = `test_${randomBytes(6).toString('hex')}`;
  // Copies the files of the template, which does not write its pages to the WAL.
  await owner.query(`create database ${name} template clinic_template strategy file_copy`);
  const ownerUrl = new URL(server);
  ownerUrl.pathname = `/${name}`;
  return {
    ownerUrl: ownerUrl.toString(),
    urls: (schema) => databaseUrls(ownerUrl.toString(), schema),
    drop: async () => {
      await owner.query(`drop database if exists ${name} with (force)`);
    },
  };
}

let owner: pg.Pool | undefined;

/** One connection for all test files of a process. It does not stop the process from ending. */
function ownerOf(server: string): pg.Pool {
  owner ??= new pg.Pool({ connectionString: server, max: 1, idleTimeoutMillis: 0, allowExitOnIdle: true }).on('error', () => {});
  return owner;
}
