// `npm run migrate`: brings every schema of a database up to date, for deployments where services start without an owner.
import { readFileSettings } from '@clinic/lib/config/config.ts';
import { migrate } from '@clinic/lib/db/migrate.ts';
import { misused, parseOptions } from '../help.ts';
import { schemaSources } from '../schemas.ts';

const USAGE = `Usage: DATABASE_URL=postgres://owner:password@host/database npm run migrate

Migrates the schema of each service and of the gateway, and creates the roles that they connect as. The URL is the owner's: a role
that may create schemas, roles and extensions. DATABASE_URL_FILE may name a file that contains it. Every start migrates the embedded
PostgreSQL itself. Running it again changes nothing.`;

parseOptions({ options: {} }, USAGE);
try {
  const url = readFileSettings(['DATABASE_URL'], process.env).DATABASE_URL;
  if (!url || !URL.canParse(url)) misused('Set DATABASE_URL to the URL of the owner.', USAGE);
  const applied = await migrate(url, schemaSources());
  console.log(applied.length === 0 ? 'Everything was up to date.' : applied.map((name) => `applied ${name}`).join('\n'));
} catch (error) {
  console.error((error as Error).message);
  process.exit(1);
}
