// Every schema of the product and where its migrations are: read from the tree, so that a new service is not to be named.
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { SchemaSource } from '@clinic/lib/migrate.ts';

export const PROJECT = path.resolve(import.meta.dirname, '..');

const ROOMS = readdirSync(path.join(PROJECT, 'services'));

export const SERVICES = ROOMS.filter((name) => existsSync(path.join(PROJECT, 'services', name, 'service.ts')));

/** The services' schemas, each with a jobs schema when there are files in its jobs/, and the gateway's own, which holds its rate limits. */
export function schemaSources(): SchemaSource[] {
  return [...ROOMS.map((name) => path.join('services', name)), 'gateway']
    .map((room) => ({
      schema: path.basename(room),
      migrations: path.join(PROJECT, room, 'migrations'),
      jobs: filesIn(path.join(PROJECT, room, 'jobs')).some((name) => name.endsWith('.ts')),
    }))
    .filter(({ migrations }) => existsSync(migrations));
}

const filesIn = (folder: string) => (existsSync(folder) ? readdirSync(folder) : []);
