// `npm run new-migration`: the next numbered SQL file of a service.
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { helpOn, misused } from '../help.ts';
import { PROJECT, SERVICES } from '../schemas.ts';

const FOLDERS = [...SERVICES, 'gateway'];
const USAGE = `Usage: npm run new-migration -- <service> <what it does>

Example: npm run new-migration -- scheduling add waitlist
Creates services/scheduling/migrations/0002_add_waitlist.sql with the next free number.
Services: ${FOLDERS.join(', ')}.`;

helpOn(USAGE);
const [service = '', ...words] = process.argv.slice(2);
if (!FOLDERS.includes(service)) misused(service ? `There is no service named ${service}.` : 'Name the service.', USAGE);
const name = words
  .join('_')
  .toLowerCase()
  .replaceAll(/[^a-z0-9]+/g, '_')
  .replaceAll(/^_|_$/g, '');
if (!name) misused('Say in a few words what the migration does.', USAGE);

const folder = path.join(PROJECT, service === 'gateway' ? 'gateway' : `services/${service}`, 'migrations');
mkdirSync(folder, { recursive: true });
const last = Math.max(0, ...readdirSync(folder).map((file) => Number.parseInt(file, 10) || 0));
const file = path.join(folder, `${String(last + 1).padStart(4, '0')}_${name}.sql`);
if (existsSync(file)) misused(`${file} already exists.`, USAGE);
writeFileSync(file, `-- Why: \n`);
console.log(path.relative(PROJECT, file));
