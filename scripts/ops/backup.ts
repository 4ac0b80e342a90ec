// `npm run backup`: writes all data of the running product, as of one instant.
import path from 'node:path';
import { counted } from '@clinic/lib/formats/counted.ts';
import { misused, parseOptions } from '../help.ts';
import { sum } from '../statistics.ts';
import { writeArchive } from './backup/write.ts';
import { OpsFault, openOps, openOutput } from './command.ts';
import { requireOutliving } from './container.ts';
import { fileStore } from './installation.ts';

const USAGE = `Usage: npm run backup -- --to <folder> [--without-files] [--operator <name>]

Writes all data of the product into a new folder while the product runs: all schemas, including pictures and signatures, and patients' files, as
of one instant. Until it is complete the folder is named <folder>.partial; that of an interrupted backup can be deleted.

  --to <folder>      a folder that does not exist yet; in a container, on a mounted volume
  --without-files    leaves out the contents of patients' files, for a store that is backed up separately
  --operator <name>  your name for the audit log (default: the user of this session)
  --help             this text

The backup does not contain the keys, which decrypt its national ids and secrets, and they must not be stored with it. Store ENCRYPTION_KEYS,
JWT_PRIVATE_KEYS and INTERNAL_KEYS (embedded: DATA_DIR/secrets.env) elsewhere. A backup contains names, phones and messages in plain text: only
your user can read its files, and they belong on an encrypted disk.

DATABASE_URL is the owner's URL, whose role must be able to read every row (superuser or BYPASSRLS). By default, the embedded installation in
DATA_DIR is backed up, which must be running.`;

const options = { to: { type: 'string' }, operator: { type: 'string' }, 'without-files': { type: 'boolean' } } as const;
const { to, operator, 'without-files': withoutFiles } = parseOptions({ options }, USAGE).values;
if (!to) misused('Set --to to the folder to write.', USAGE);
const folder = path.resolve(to);
try {
  requireOutliving(folder);
  const ops = openOps(operator, openOutput());
  try {
    const { tables, files, sealedUnder: encryptedUnder } = await writeArchive(ops.url, folder, withoutFiles ? undefined : fileStore(), ops.print); // plain-words: sealed is part of the format
    const rows = sum(tables.map((table) => table.rows));
    const megabytes = sum(tables.map(({ bytes }) => bytes)) / 1024 / 1024;
    ops.print(`\n${counted(rows, 'row')} of ${counted(tables.length, 'table')}, ${megabytes.toFixed(1)} MB before compression, in ${folder}`);
    if (!withoutFiles) ops.print(`${counted(files.length, 'file')} of patients, encrypted`);
    ops.print(
      `The backup does not contain the keys. Its encrypted values need these keys of ENCRYPTION_KEYS: ${encryptedUnder.join(', ') || '(none yet)'}. Store them elsewhere.`,
    );
    await ops.record({ action: 'backup.written', entityId: 'all', changes: { rows } });
  } finally {
    await ops.close();
  }
  process.exit(0);
} catch (error) {
  console.error(
    error instanceof OpsFault
      ? error.message
      : `The backup failed: ${(error as Error).message}\nDelete the incomplete ${folder}.partial, or run the command again.`,
  );
  process.exit(1);
}
