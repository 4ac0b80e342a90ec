// `npm run new-migration`: creates the next numbered migration of a service or of the gateway.
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { misused, parseOptions } from '../help.ts';
import { PROJECT, SERVICES } from '../schemas.ts';

const FOLDERS = [...SERVICES, 'gateway'];
const USAGE = `Usage: npm run new-migration -- <service> <what it does>

Creates a SQL file with the next free number. For example, this creates services/scheduling/migrations/0002_add_waitlist.sql when the
newest migration of scheduling is 0001:

  npm run new-migration -- scheduling add waitlist

Services: ${FOLDERS.join(', ')}.`;

const [service = '', ...words] = parseOptions({ options: {}, allowPositionals: true }, USAGE).positionals;
if (!FOLDERS.includes(service)) misused(service ? `There is no service named ${service}.` : 'Name the service.', USAGE);
const name = words
  .join('_')
  .toLowerCase()
  .replaceAll(/[^a-z0-9]+/g, '_')
  .replaceAll(/^_|_$/g, '');
if (!name) misused('Describe in a few words what the migration does.', USAGE);

const folder = path.join(PROJECT, service === 'gateway' ? 'gateway' : `services/${service}`, 'migrations');
mkdirSync(folder, { recursive: true });
const last = Math.max(0, ...readdirSync(folder).map((file) => Number.parseInt(file, 10) || 0));
const file = path.join(folder, `${String(last + 1).padStart(4, '0')}_${name}.sql`);
if (existsSync(file)) misused(`${file} already exists.`, USAGE);
writeFileSync(file, `-- Why: \n`);
console.log(path.relative(PROJECT, file));
