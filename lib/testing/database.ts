// A fresh, migrated database for one test suite: a clone of the template that the global setup made.
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { roleUrl } from '../db/migrate.ts';

export type TestDatabase = {
  /** As the owner, who sees everything: for arranging and for looking behind the curtain. */
  ownerUrl: string;
  /** As the request role of a service. */
  url(schema: string): string;
  drop(): Promise<void>;
};

export async function testDatabase(): Promise<TestDatabase> {
  const server = process.env.CLINIC_TEST_DATABASE;
  if (!server) throw new Error('no test database: put the test where jest.config.js starts one, in tests/ of a service, of lib or of the gateway');
  const name = `test_${randomBytes(6).toString('hex')}`;
  await asOwner(server, `create database ${name} template clinic_template`);
  const ownerUrl = new URL(server);
  ownerUrl.pathname = `/${name}`;
  return {
    ownerUrl: ownerUrl.toString(),
    url: (schema) => roleUrl(ownerUrl.toString(), schema),
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
