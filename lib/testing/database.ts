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
  const name = `test_${randomBytes(6).toString('hex')}`;
  // Copies the files of the template, which does not write its pages to the WAL.
  await asOwner(server, `create database ${name} template clinic_template strategy file_copy`);
  const ownerUrl = new URL(server);
  ownerUrl.pathname = `/${name}`;
  return {
    ownerUrl: ownerUrl.toString(),
    urls: (schema) => databaseUrls(ownerUrl.toString(), schema),
    drop: () => asOwner(server, `drop database if exists ${name} with (force)`),
  };
}

async function asOwner(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
