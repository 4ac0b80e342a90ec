// `npm run backup`: everything that the product keeps, as of one instant, while it serves.
import path from 'node:path';
import { parseArgs } from 'node:util';
import { helpOn, misused } from '../help.ts';
import { BackupFault } from './backup/manifest.ts';
import { writeArchive } from './backup/write.ts';
import { ownerUrl } from './installation.ts';

const USAGE = `Usage: npm run backup -- --to <folder>

Writes what the product keeps into a new folder, while it serves: all schemas, with pictures and signatures, in the state of
one instant. The folder gets its name when it is whole; what was interrupted is called <folder>.partial and can be deleted.

  --to <folder>  a folder that is not there yet
  --help         this text

The keys are not in it, and must not be kept with it: without them its national ids and secrets cannot be read, with them
they can. Keep ENCRYPTION_KEYS, JWT_PRIVATE_KEYS and INTERNAL_KEYS (embedded: DATA_DIR/secrets.env) in another place. Names,
phones and messages are readable in it: its files are for your user only, and belong on an encrypted disk.

DATABASE_URL is the owner's URL, whose role has to see every row (superuser or BYPASSRLS); without it, that of the embedded
installation in DATA_DIR, which must be running.`;

function readOptions() {
  try {
    return parseArgs({ options: { to: { type: 'string' } } }).values;
  } catch (error) {
    return misused((error as Error).message, USAGE);
  }
}

helpOn(USAGE);
const { to } = readOptions();
if (!to) misused('Say where to write with --to.', USAGE);
const url = ownerUrl() ?? misused('Set DATABASE_URL to the URL of the owner, or start the installation of DATA_DIR.', USAGE);
const folder = path.resolve(to);
try {
  const { tables, sealedUnder } = await writeArchive(url, folder, (line) => console.log(line));
  const sum = (of: (table: (typeof tables)[number]) => number) => tables.reduce((all, table) => all + of(table), 0);
  console.log(
    `\n${sum(({ rows }) => rows)} rows of ${tables.length} tables, ${(sum(({ bytes }) => bytes) / 1024 / 1024).toFixed(1)} MB before packing, in ${folder}`,
  );
  console.log(
    `The keys are not in it. To read what is sealed it takes those named ${sealedUnder.join(', ') || '(none yet)'} of ENCRYPTION_KEYS: keep them elsewhere.`,
  );
} catch (error) {
  console.error(error instanceof BackupFault ? error.message : `The backup stopped: ${(error as Error).message}\nWhat it wrote is called ${folder}.partial.`);
  process.exit(1);
}
