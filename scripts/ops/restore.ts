// `npm run restore`: brings a backup back into an empty place.
import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { keyRing, type NamedKey } from '@clinic/lib/config/config.ts';
import { startPostgres } from '../dev/embedded/postgres.ts';
import { lockDataFolder, prepareDataFolder } from '../dev/launch/data-folder.ts';
import { StartFault } from '../dev/start-fault.ts';
import { helpOn, misused } from '../help.ts';
import { PROJECT } from '../schemas.ts';
import { BackupFault, type Manifest, readManifest } from './backup/manifest.ts';
import { checkArchive, restoreArchive } from './backup/read.ts';
import { storedSetting } from './installation.ts';

const USAGE = `Usage: npm run restore -- --from <folder> [--check]

Brings a backup back, all of it or nothing, into an empty place: the empty database of DATABASE_URL, the owner's, or else a
new DATA_DIR, where nothing runs. Every row is held against the manifest, every foreign key is checked again, and values of
each sealed column are opened.

  1. Put the keys in place, which no backup holds: ENCRYPTION_KEYS and the other secrets in the environment, or
     secrets.env in the new DATA_DIR.
  2. Run this.
  3. Start the product with an empty NATS: the services publish again what their outboxes keep. With a NATS that has
     events already, run "npm run ops -- rebuild streams" after the start.

  --from <folder>  the backup
  --check          only reads the backup and holds it against its manifest
  --without-keys   restores although the keys are lost: what is sealed stays unreadable
  --help           this text

A backup of an older release is restored as it was and then migrated.`;

function readOptions() {
  try {
    return parseArgs({ options: { from: { type: 'string' }, check: { type: 'boolean' }, 'without-keys': { type: 'boolean' } } }).values;
  } catch (error) {
    return misused((error as Error).message, USAGE);
  }
}

helpOn(USAGE);
const { from, check = false, 'without-keys': withoutKeys = false } = readOptions();
if (!from) misused('Say what to restore with --from.', USAGE);
const folder = path.resolve(from);
const say = (line: string) => console.log(line);
try {
  const manifest = readManifest(folder);
  if (check) {
    await checkArchive(folder, manifest, say);
    say(`\nThe backup of ${manifest.madeAt} is whole.`);
  } else {
    await restore(manifest);
    say(`\nrestored the backup of ${manifest.madeAt}`);
  }
  process.exit(0);
} catch (error) {
  const told = error instanceof BackupFault || error instanceof StartFault;
  console.error(told ? error.message : `The restore stopped: ${(error as Error).message}\nNothing was restored.`);
  process.exit(1);
}

async function restore(manifest: Manifest): Promise<void> {
  if (process.env.DATABASE_URL) return restoreArchive(process.env.DATABASE_URL, folder, manifest, ring(manifest), say);
  const dataDir = prepareDataFolder(path.resolve(PROJECT, process.env.DATA_DIR || '.data'));
  await lockDataFolder(dataDir);
  const keys = ring(manifest);
  const cluster = path.join(dataDir, 'postgres', 'cluster');
  if (existsSync(cluster)) throw new BackupFault(`${dataDir} holds an installation already: name a new DATA_DIR. A restore overwrites nothing.`);
  const database = await startPostgres({ dataDir, say });
  try {
    await restoreArchive(database.url, folder, manifest, keys, say);
    await database.stop();
  } catch (error) {
    await database.stop();
    // Nothing is in it, and the next try wants an empty place.
    rmSync(cluster, { recursive: true, force: true });
    throw error;
  }
}

/** The keys, which must be those that the backup names. */
function ring({ sealedUnder }: Manifest): NamedKey[] | undefined {
  if (withoutKeys) return undefined;
  const given = storedSetting('ENCRYPTION_KEYS');
  if (!given && sealedUnder.length === 0) return undefined;
  const keys = keyRing.safeParse(given ?? '');
  const missing = sealedUnder.filter((id) => !keys.data?.some((key) => key.id === id));
  if (!keys.success || missing.length > 0) {
    const names = (keys.success ? missing : sealedUnder).join(', ');
    throw new BackupFault(
      `ENCRYPTION_KEYS lacks ${names}, under which values of this backup are sealed. Put the secrets of the installation in place first (see --help).`,
    );
  }
  return keys.data;
}
