// Every schema of the product and the folder of its migrations, found in the tree so that no list has to be maintained.
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { SchemaSource } from '@clinic/lib/db/migrate.ts';

export const PROJECT = path.resolve(import.meta.dirname, '..');

const FOLDERS = readdirSync(path.join(PROJECT, 'services'));

export const SERVICES = FOLDERS.filter((name) => existsSync(path.join(PROJECT, 'services', name, 'service.ts')));

/** Schemas whose service or gateway runs no background jobs, so that they have no jobs schema. */
const WITHOUT_JOBS = ['platform', 'gateway'];

/** The schemas of the services and of the gateway, which stores its rate limits in its own. */
export function schemaSources(): SchemaSource[] {
  return [...FOLDERS.map((name) => path.join('services', name)), 'gateway']
    .map((folder) => path.join(PROJECT, folder, 'migrations'))
    .filter((migrations) => existsSync(migrations))
    .map((migrations) => {
      const schema = path.basename(path.dirname(migrations));
      return { schema, migrations, jobs: !WITHOUT_JOBS.includes(schema) };
    });
}
