// `npm run backup`: all data of the product at one instant, while it runs.
import path from 'node:path';
import { helpOn, misused, parseOptions } from '../help.ts';
import { BackupFault } from './backup/manifest.ts';
import { writeArchive } from './backup/write.ts';
import { ownerUrl } from './installation.ts';

const USAGE = `Usage: npm run backup -- --to <folder>

Writes all data of the product into a new folder while the product runs: all schemas, with pictures and signatures, as of one
instant. The folder gets its name when it is complete; an interrupted backup is named <folder>.partial and can be deleted.

  --to <folder>  a folder that does not exist yet
  --help         this text

The keys are not in the backup and must not be stored with it: they decrypt its national ids and secrets. Store ENCRYPTION_KEYS,
JWT_PRIVATE_KEYS and INTERNAL_KEYS (embedded: DATA_DIR/secrets.env) elsewhere. Names, phones and messages are readable in a backup:
its files are readable by your user only and belong on an encrypted disk.

DATABASE_URL is the owner's URL, whose role must be able to read every row (superuser or BYPASSRLS); without it, that of the embedded
installation in DATA_DIR, which must be running.`;

helpOn(USAGE);
const { to } = parseOptions({ options: { to: { type: 'string' } } }, USAGE).values;
if (!to) misused('Say where to write with --to.', USAGE);
const url = ownerUrl() ?? misused('Set DATABASE_URL to the URL of the owner, or start the installation of DATA_DIR.', USAGE);
const folder = path.resolve(to);
try {
  const { tables, sealedUnder: encryptedUnder } = await writeArchive(url, folder, (line) => console.log(line)); // plain-words: sealed is part of the format
  const sum = (of: (table: (typeof tables)[number]) => number) => tables.reduce((all, table) => all + of(table), 0);
  console.log(
    `\n${sum(({ rows }) => rows)} rows of ${tables.length} tables, ${(sum(({ bytes }) => bytes) / 1024 / 1024).toFixed(1)} MB before compression, in ${folder}`,
  );
  console.log(
    `The keys are not in it. Its encrypted values need these keys of ENCRYPTION_KEYS: ${encryptedUnder.join(', ') || '(none yet)'}. Store them elsewhere.`,
  );
} catch (error) {
  console.error(error instanceof BackupFault ? error.message : `The backup failed: ${(error as Error).message}\nThe incomplete backup is ${folder}.partial.`);
  process.exit(1);
}
