// Seals again, under the first key of ENCRYPTION_KEYS, what older keys had sealed.
import type { NamedKey } from '@clinic/lib/config.ts';
import type { Db } from '@clinic/lib/db.ts';
import { countStale, reseal, type SealedColumn } from '@clinic/lib/reseal.ts';
import { sealedColumns } from '../sealed-columns.ts';
import type { Command, Ops } from './command.ts';

export const rotateKeys: Command = {
  name: 'rotate-keys',
  summary: 'seals personal data and secrets under a new key, while everything serves',
  usage: `[--dry-run]

  1. Put a new key in front of ENCRYPTION_KEYS (new:<base64 of 32 bytes>,old:…) and restart the services one by one.
  2. Run this. It works in small batches and can be stopped and run again at any time.
  3. When it says that nothing is left, take the old key out and restart again.

ENCRYPTION_KEYS is the ring with both keys; without it, that of the embedded installation. Ends with 1 when a value could
not be opened by any key of the ring.

  --dry-run          only counts`,
  options: { 'dry-run': { type: 'boolean' } },
  async run(ops, { values }) {
    const dryRun = values['dry-run'] === true;
    const keys = ops.keys();
    const newest = keys[0]?.id ?? '';
    const line = { action: 'rotate_keys', entity: 'encryption_key', entityId: newest };
    if (!dryRun) await ops.record({ ...line, changes: { state: 'begun' } });
    let left = 0;
    for (const [service, columns] of await sealedColumns()) for (const column of columns) left += await rotate(ops, service, column, keys, dryRun);
    if (dryRun) return 0;
    await ops.record({ ...line, changes: { state: 'done', left } });
    ops.say(left === 0 ? `Everything is sealed under ${newest}: older keys are of no more use.` : `${left} values are left.`);
    return left === 0 ? 0 : 1;
  },
};

/** How many values are left under older keys. */
async function rotate(ops: Ops, service: string, column: SealedColumn, keys: NamedKey[], dryRun: boolean): Promise<number> {
  const name = `${service}.${column.table}.${column.column}`;
  const db: Db = ops.open(service);
  const stale = await countStale(db, keys, column);
  if (stale === 0 || dryRun) {
    ops.say(`${name}: ${stale} to seal again`);
    return stale;
  }
  let told = 0;
  const { done, failed } = await reseal(db, keys, column, (progress) => {
    if (progress.done - told < 1_000) return;
    told = progress.done;
    ops.say(`${name}: ${told} of about ${stale}`);
  });
  ops.say(`${name}: ${done} sealed again${failed > 0 ? `, ${failed} cannot be opened by any key of the ring` : ''}`);
  return countStale(db, keys, column);
}
