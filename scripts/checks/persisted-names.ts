// Writes docs/persisted-names.md, the names that must survive a release, unless one has vanished; and deploy/nats/users.conf, which is derived from
// them.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseOptions } from '../help.ts';
import { PROJECT } from '../schemas.ts';
import { currentNames } from './persisted/current.ts';
import { vanished } from './persisted/names.ts';
import { natsUsers } from './persisted/nats-users.ts';
import { readPage, writePage } from './persisted/page.ts';

const USAGE = `Usage: node scripts/run.js checks/persisted-names [--forget]

Writes docs/persisted-names.md, the names that are stored, published or sent, and deploy/nats/users.conf, the NATS permissions of each process.
Ends with 1 and writes nothing when a recorded name no longer exists.

  --forget  writes the files even then: only when no running or restorable release uses these names`;

const { forget } = parseOptions({ options: { forget: { type: 'boolean' } } }, USAGE).values;
const page = path.join(PROJECT, 'docs/persisted-names.md');
const current = await currentNames();
const gone = existsSync(page) ? vanished(readPage(readFileSync(page, 'utf8')), current) : [];
for (const name of gone) console.error(`vanished: ${name}`);
if (gone.length > 0 && !forget) process.exit(1);
writeFileSync(page, writePage(current));
writeFileSync(path.join(PROJECT, 'deploy/nats/users.conf'), natsUsers(current['Durable consumers'] ?? {}));
console.log('wrote docs/persisted-names.md and deploy/nats/users.conf');
process.exit(0);
