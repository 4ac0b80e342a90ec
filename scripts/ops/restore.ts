// `npm run restore`: restores a backup into an empty installation.
import path from 'node:path';
import { encryptionKeyRing, type NamedKey } from '@clinic/lib/config/config.ts';
import { startPostgres } from '../dev/embedded/postgres.ts';
import { dataFolder, lockDataFolder, prepareDataFolder } from '../dev/launch/data-folder.ts';
import { replaceLostEncryptionKeys } from '../dev/launch/secrets.ts';
import { StartFault } from '../dev/start-fault.ts';
import { misused, parseOptions } from '../help.ts';
import { type Manifest, readManifest } from './backup/manifest.ts';
import { checkArchive, restoreArchive } from './backup/read.ts';
import { OpsFault, openOutput } from './command.ts';
import { configuredUrl, fileStore, storedSetting } from './installation.ts';

const USAGE = `Usage: npm run restore -- --from <folder> [--check | --without-keys]

Restores a backup into an empty installation: the empty database of DATABASE_URL (the owner's URL), or by default a new DATA_DIR in which nothing
runs. The rows are restored in one transaction. Every file is compared with the manifest, every foreign key is checked again, and some values of
each encrypted column are decrypted. Patients' files are restored into DATA_DIR, or into the store of S3_ENDPOINT. An interrupted restore can be
run again.

  1. Provide the keys, which are not in the backup: ENCRYPTION_KEYS and the other secrets in the environment, or secrets.env in the
     new DATA_DIR.
  2. Run this command.
  3. Start the product with an empty NATS: the services publish the events of their outboxes again. When NATS already contains events, run
     "npm run ops -- rebuild streams" after the start.

  --from <folder>  the backup
  --check          only reads the backup and compares it with its manifest
  --without-keys   restores without the keys, when they are lost: encrypted values stay unreadable. New ENCRYPTION_KEYS are stored in
                   secrets.env of DATA_DIR; with DATABASE_URL, provide new ones, with an id that the lost keys did not have, such as k2.*
  --help           this text

A backup of an older release is restored with the schema of that release and then migrated.`;

const options = { from: { type: 'string' }, check: { type: 'boolean' }, 'without-keys': { type: 'boolean' } } as const;
const { from, check, 'without-keys': withoutKeys } = parseOptions({ options }, USAGE).values;
if (!from) misused('Set --from to the folder of the backup.', USAGE);
const folder = path.resolve(from);
const print = openOutput();
try {
  const manifest = readManifest(folder);
  if (check) {
    await checkArchive(folder, manifest, print);
    print(`\nThe backup of ${manifest.madeAt} is complete.`);
  } else {
    await restore(manifest);
    print(`\nrestored the backup of ${manifest.madeAt}`);
  }
  process.exit(0);
} catch (error) {
  const explained = error instanceof OpsFault || error instanceof StartFault;
  console.error(explained ? error.message : `The restore failed: ${(error as Error).message}\nNothing was restored.`);
  process.exit(1);
}

async function restore(manifest: Manifest): Promise<void> {
  const url = configuredUrl();
  if (url) return restoreArchive(url, folder, manifest, requiredKeys(manifest), fileStore(), print);
  const dataDir = prepareDataFolder(dataFolder());
  await lockDataFolder(dataDir);
  const keys = requiredKeys(manifest);
  const database = await startPostgres({ dataDir, print });
  await restoreArchive(database.url, folder, manifest, keys, fileStore(), print).finally(database.stop);
  if (storedSetting('ENCRYPTION_KEYS')) return;
  const id = replaceLostEncryptionKeys(dataDir, manifest.sealedUnder); // plain-words: sealed is part of the format
  print(`stored new ENCRYPTION_KEYS, ${id}, in ${path.join(dataDir, 'secrets.env')}`);
}

/** The keys of ENCRYPTION_KEYS. Throws when they lack one that the backup needs. */
function requiredKeys(manifest: Manifest): NamedKey[] | undefined {
  const encryptedUnder = manifest.sealedUnder; // plain-words: sealed is part of the format
  if (withoutKeys) return undefined;
  const setting = storedSetting('ENCRYPTION_KEYS');
  if (!setting && encryptedUnder.length === 0) return undefined;
  const keys = encryptionKeyRing.safeParse(setting ?? '');
  // A key of a service is derived from the one that ends with `.*`.
  const missing = encryptedUnder.filter((id) => !keys.data?.some((key) => key.id === id || key.id === id.replace(/\..*/, '.*')));
  if (!keys.success || missing.length > 0) {
    const names = (keys.success ? missing : encryptedUnder).join(', ');
    throw new OpsFault(
      `ENCRYPTION_KEYS lacks ${names}, with which values of this backup are encrypted. Provide the secrets of the installation first (see --help).`,
    );
  }
  return keys.data;
}
