// `npm run restore`: restores a backup into an empty installation.
import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { encryptionKeyRing, type NamedKey } from '@clinic/lib/config/config.ts';
import { startPostgres } from '../dev/embedded/postgres.ts';
import { lockDataFolder, prepareDataFolder } from '../dev/launch/data-folder.ts';
import { StartFault } from '../dev/start-fault.ts';
import { misused, parseOptions } from '../help.ts';
import { PROJECT } from '../schemas.ts';
import { type Manifest, readManifest } from './backup/manifest.ts';
import { checkArchive, restoreArchive } from './backup/read.ts';
import { OpsFault } from './command.ts';
import { fileStore, givenUrl, storedSetting } from './installation.ts';

const USAGE = `Usage: npm run restore -- --from <folder> [--check]

Restores a backup in one transaction into an empty installation: the empty database of DATABASE_URL (the owner's), or else a new
DATA_DIR in which nothing runs. Every file is compared with the manifest, every foreign key is checked again, and values of each
encrypted column are decrypted. Files of patients go into DATA_DIR, or into the store of S3_ENDPOINT.

  1. Put the keys in place, which no backup contains: ENCRYPTION_KEYS and the other secrets in the environment, or
     secrets.env in the new DATA_DIR.
  2. Run this.
  3. Start the product with an empty NATS: the services publish again what their outboxes keep. With a NATS that has
     events already, run "npm run ops -- rebuild streams" after the start.

  --from <folder>  the backup
  --check          only reads the backup and compares it with its manifest
  --without-keys   restores although the keys are lost: encrypted values stay unreadable
  --help           this text

A backup of an older release is restored as it was and then migrated.`;

const options = { from: { type: 'string' }, check: { type: 'boolean' }, 'without-keys': { type: 'boolean' } } as const;
const { from, check, 'without-keys': withoutKeys } = parseOptions({ options }, USAGE).values;
if (!from) misused('Name the backup with --from.', USAGE);
const folder = path.resolve(from);
const say = (line: string) => console.log(line);
try {
  const manifest = readManifest(folder);
  if (check) {
    await checkArchive(folder, manifest, say);
    say(`\nThe backup of ${manifest.madeAt} is complete.`);
  } else {
    await restore(manifest);
    say(`\nrestored the backup of ${manifest.madeAt}`);
  }
  process.exit(0);
} catch (error) {
  const explained = error instanceof OpsFault || error instanceof StartFault;
  console.error(explained ? error.message : `The restore failed: ${(error as Error).message}\nNothing was restored.`);
  process.exit(1);
}

async function restore(manifest: Manifest): Promise<void> {
  const url = givenUrl();
  if (url) return restoreArchive(url, folder, manifest, requiredKeys(manifest), fileStore(), say);
  const dataDir = prepareDataFolder(path.resolve(PROJECT, process.env.DATA_DIR || '.data'));
  await lockDataFolder(dataDir);
  const keys = requiredKeys(manifest);
  const cluster = path.join(dataDir, 'postgres', 'cluster');
  if (existsSync(cluster)) throw new OpsFault(`${dataDir} already contains an installation: name a new DATA_DIR. A restore overwrites nothing.`);
  const database = await startPostgres({ dataDir, say });
  try {
    await restoreArchive(database.url, folder, manifest, keys, fileStore(), say);
    await database.stop();
  } catch (error) {
    await database.stop();
    // It is empty, and the next attempt needs an empty folder.
    rmSync(cluster, { recursive: true, force: true });
    throw error;
  }
}

/** The keys of ENCRYPTION_KEYS; throws when one that the backup names is missing. */
function requiredKeys(manifest: Manifest): NamedKey[] | undefined {
  const encryptedUnder = manifest.sealedUnder; // plain-words: sealed is part of the format
  if (withoutKeys) return undefined;
  const given = storedSetting('ENCRYPTION_KEYS');
  if (!given && encryptedUnder.length === 0) return undefined;
  const keys = encryptionKeyRing.safeParse(given ?? '');
  // A key of a service is derived from the one that ends with `.*`.
  const missing = encryptedUnder.filter((id) => !keys.data?.some((key) => key.id === id || key.id === id.replace(/\..*/, '.*')));
  if (!keys.success || missing.length > 0) {
    const names = (keys.success ? missing : encryptedUnder).join(', ');
    throw new OpsFault(
      `ENCRYPTION_KEYS lacks ${names}, which encrypted values of this backup. Put the secrets of the installation in place first (see --help).`,
    );
  }
  return keys.data;
}
