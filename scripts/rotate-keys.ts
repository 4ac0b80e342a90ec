// `npm run rotate-keys`: seals again, under the first key of ENCRYPTION_KEYS, what older keys had sealed.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { keyRing } from '@clinic/lib/config.ts';
import { openDb } from '@clinic/lib/db.ts';
import { createLog } from '@clinic/lib/log.ts';
import { roleUrl } from '@clinic/lib/migrate.ts';
import { countStale, reseal, type SealedColumn } from '@clinic/lib/reseal.ts';
import { helpOn, misused } from './help.ts';
import { keptSetting, ownerUrl } from './installation.ts';
import { PROJECT, SERVICES } from './schemas.ts';

const USAGE = `Usage: npm run rotate-keys [-- --dry-run]

Rotates the keys that personal data and secrets are sealed with, while everything serves:

  1. Put a new key in front of ENCRYPTION_KEYS (new:<base64 of 32 bytes>,old:…) and restart the services one by one.
  2. Run this. It works in small batches and can be stopped and run again at any time.
  3. When it says that nothing is left, take the old key out and restart again.

  --dry-run  only counts
  --help     this text

DATABASE_URL is the owner's URL and ENCRYPTION_KEYS the ring with both keys; without them, those of the embedded
installation in DATA_DIR, which must be running. Ends with 1 when a value could not be opened by any key of the ring.`;

function readOptions() {
  try {
    return parseArgs({ options: { 'dry-run': { type: 'boolean' } } }).values;
  } catch (error) {
    return misused((error as Error).message, USAGE);
  }
}

helpOn(USAGE);
const { 'dry-run': dryRun = false } = readOptions();
const url = ownerUrl() ?? misused('Set DATABASE_URL to the URL of the owner, or start the installation of DATA_DIR.', USAGE);
const ring = keyRing.safeParse(keptSetting('ENCRYPTION_KEYS') ?? '');
if (!ring.success) misused('ENCRYPTION_KEYS must be id:base64 pairs of 32 bytes, the new key first.', USAGE);
const keys = ring.data;

let left = 0;
for (const service of SERVICES) {
  const file = path.join(PROJECT, 'services', service, 'sealed.ts');
  if (!existsSync(file)) continue;
  const columns = ((await import(file)) as { default: SealedColumn[] }).default;
  const db = openDb({ url: roleUrl(url, service), schema: service, max: 2, log: createLog('rotate-keys', 'error') });
  try {
    for (const column of columns) left += await rotate(service, column, db);
  } finally {
    await db.pool.end();
  }
}
if (!dryRun) console.log(left === 0 ? `Everything is sealed under ${keys[0]?.id}: older keys are of no more use.` : `${left} values are left.`);
process.exit(dryRun || left === 0 ? 0 : 1);

/** How many values are left under older keys. */
async function rotate(service: string, column: SealedColumn, db: ReturnType<typeof openDb>): Promise<number> {
  const name = `${service}.${column.table}.${column.column}`;
  const stale = await countStale(db, keys, column);
  if (stale === 0 || dryRun) {
    console.log(`${name}: ${stale} to seal again`);
    return stale;
  }
  let told = 0;
  const { done, failed } = await reseal(db, keys, column, (progress) => {
    if (progress.done - told < 1_000) return;
    told = progress.done;
    console.log(`${name}: ${told} of about ${stale}`);
  });
  console.log(`${name}: ${done} sealed again${failed > 0 ? `, ${failed} cannot be opened by any key of the ring` : ''}`);
  return countStale(db, keys, column);
}
