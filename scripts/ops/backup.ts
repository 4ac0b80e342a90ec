// `npm run backup`: all data of the product at one instant, while it runs.
import { existsSync, statfsSync, statSync } from 'node:fs';
import path from 'node:path';
import { misused, parseOptions } from '../help.ts';
import { sum } from '../statistics.ts';
import { writeArchive } from './backup/write.ts';
import { OpsFault, openOps } from './command.ts';
import { fileStore } from './installation.ts';

const USAGE = `Usage: npm run backup -- --to <folder> [--without-files] [--operator <name>]

Writes all data of the product into a new folder while the product runs: all schemas, with pictures, signatures and the files
of patients, as of one instant. The folder gets its name when it is complete; an interrupted backup is named <folder>.partial and can be deleted.

  --to <folder>      a folder that does not exist yet; in a container, on a volume
  --without-files    leaves out the contents of patients' files, where their store is backed up in another way
  --operator <name>  who does this, for the audit log (default: the name that you are signed in with here)
  --help             this text

The keys are not in the backup and must not be stored with it: they decrypt its national ids and secrets. Store ENCRYPTION_KEYS,
JWT_PRIVATE_KEYS and INTERNAL_KEYS (embedded: DATA_DIR/secrets.env) elsewhere. Names, phones and messages are readable in a backup:
its files are readable by your user only and belong on an encrypted disk.

DATABASE_URL is the owner's URL, whose role must be able to read every row (superuser or BYPASSRLS); without it, that of the embedded
installation in DATA_DIR, which must be running.`;

const TMPFS = 0x01021994; // in linux/magic.h

const options = { to: { type: 'string' }, operator: { type: 'string' }, 'without-files': { type: 'boolean' } } as const;
const { to, operator, 'without-files': withoutFiles } = parseOptions({ options }, USAGE).values;
if (!to) misused('Say where to write with --to.', USAGE);
const folder = path.resolve(to);
try {
  requireOutliving(folder);
  const ops = openOps(operator, (line) => console.log(line));
  try {
    const { tables, files, sealedUnder: encryptedUnder } = await writeArchive(ops.url, folder, withoutFiles ? undefined : fileStore(), ops.say); // plain-words: sealed is part of the format
    const rows = sum(tables.map((table) => table.rows));
    const megabytes = sum(tables.map(({ bytes }) => bytes)) / 1024 / 1024;
    ops.say(`\n${rows} rows of ${tables.length} tables, ${megabytes.toFixed(1)} MB before compression, in ${folder}`);
    if (!withoutFiles) ops.say(`${files.length} files of patients, encrypted`);
    ops.say(
      `The keys are not in it. Its encrypted values need these keys of ENCRYPTION_KEYS: ${encryptedUnder.join(', ') || '(none yet)'}. Store them elsewhere.`,
    );
    await ops.record({ action: 'backup.written', entityId: 'all', changes: { rows } });
  } finally {
    await ops.close();
  }
} catch (error) {
  console.error(
    error instanceof OpsFault ? error.message : `The backup failed: ${(error as Error).message}\nWhile it is incomplete it is named ${folder}.partial.`,
  );
  process.exit(1);
}

/** Throws where the files would be deleted with the container: on its own file system or in memory. */
function requireOutliving(target: string): void {
  if (!existsSync('/app/health.sh')) return; // not in the image
  let existing = target;
  while (!existsSync(existing)) existing = path.dirname(existing);
  const onRoot = statSync(existing).dev === statSync('/').dev;
  if (onRoot || statfsSync(existing).type === TMPFS)
    throw new OpsFault(`${target} would be deleted with this container: write to a volume that is mounted into it.`);
}
