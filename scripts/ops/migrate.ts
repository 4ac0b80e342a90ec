// `npm run migrate`: migrates every schema of a database, for deployments in which the services have no access as the owner.
import { readFileSettings } from '@clinic/lib/config/config.ts';
import { migrate } from '@clinic/lib/db/migrate.ts';
import { misused, parseOptions } from '../help.ts';
import { schemaSources } from '../schemas.ts';

const USAGE = `Usage: DATABASE_URL=postgres://owner:password@host/database npm run migrate

Migrates the schema of each service and of the gateway, and creates the roles with which they connect. DATABASE_URL is the owner's URL, whose role
must be able to create schemas, roles and extensions; DATABASE_URL_FILE may name a file that contains it. The command can be run again. npm start
does not need it: it migrates its database itself.`;

parseOptions({ options: {} }, USAGE);
try {
  const url = readFileSettings(['DATABASE_URL'], process.env).DATABASE_URL;
  if (!url || !URL.canParse(url)) misused("Set DATABASE_URL to the owner's URL.", USAGE);
  const applied = await migrate(url, schemaSources(), { print: (line) => console.log(line) });
  console.log(applied.length === 0 ? 'All schemas are up to date.' : `Migrations applied: ${applied.length}.`);
} catch (error) {
  console.error((error as Error).message);
  process.exit(1);
}
