// `npm run secrets`: the secrets of an installation as files, one each, as deploy/compose.yaml mounts them.
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { roleUrl } from '@clinic/lib/db/migrate.ts';
import { MAKERS } from '../dev/launch/secrets.ts';
import { helpOn, misused } from '../help.ts';
import { SERVICES } from '../schemas.ts';

const USAGE = `Usage: npm run secrets -- <folder> [host:port]

Makes each secret that is missing in the folder: keys, and the URLs with which the owner and each process reach PostgreSQL
at host:port (postgres:5432 unless told). What is there stays as it is. deploy/secrets/README.md says who is given what.`;

helpOn(USAGE);
const [folder, address = 'postgres:5432'] = process.argv.slice(2);
if (!folder) misused('Name the folder.', USAGE);
mkdirSync(folder, { recursive: true, mode: 0o700 });

const password = keep('database_owner_password', () => randomBytes(24).toString('hex'));
const owner = keep('database_owner', () => `postgres://clinic_owner:${password}@${address}/clinic`);
for (const name of [...SERVICES, 'gateway']) keep(`database_${name}`, () => roleUrl(owner, name));
for (const [name, make] of Object.entries(MAKERS)) keep(name.toLowerCase(), make);
keep('smtp_url', () => 'smtp://mail:1025');
keep('assistant_api_key', () => '');
keep('grafana_password', () => randomBytes(12).toString('base64url'));

/** The folder keeps strangers out; the files can be read, since a container's user is not their owner. */
function keep(name: string, make: () => string): string {
  const file = path.join(folder as string, name);
  if (!existsSync(file)) {
    writeFileSync(file, `${make()}\n`, { mode: 0o644 });
    console.log(`made ${name}`);
  }
  return readFileSync(file, 'utf8').trim();
}
