// Every schema of the product and where its migrations are: read from the tree, so that a new service is not to be named.
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { SchemaSource } from '@clinic/lib/db/migrate.ts';

export const PROJECT = path.resolve(import.meta.dirname, '..');

const FOLDERS = readdirSync(path.join(PROJECT, 'services'));

export const SERVICES = FOLDERS.filter((name) => existsSync(path.join(PROJECT, 'services', name, 'service.ts')));

/** Services that run no background jobs and so have no jobs schema. */
const WITHOUT_JOBS = ['platform', 'gateway'];

/** The services' schemas, each with a jobs schema when it runs jobs, and the gateway's own, which holds its rate limits. */
export function schemaSources(): SchemaSource[] {
  return [...FOLDERS.map((name) => path.join('services', name)), 'gateway']
    .map((folder) => path.join(PROJECT, folder, 'migrations'))
    .filter((migrations) => existsSync(migrations))
    .map((migrations) => {
      const schema = path.basename(path.dirname(migrations));
      return { schema, migrations, jobs: !WITHOUT_JOBS.includes(schema) };
    });
}
