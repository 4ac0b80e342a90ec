// Copies the contents of a clinic's files, still encrypted, from the store of the source to that of the target.
import { encryptedSize } from '@clinic/lib/crypto/content.ts';
import type pg from 'pg';
import { OpsFault } from '../command.ts';
import type { storesOfMove } from '../installation.ts';
import { printFiles } from '../print-files.ts';

const STORED = `select clinic_id || '/' || id as key, size from scheduling.patient_files where clinic_id = $1 and stored_at is not null`;

type Stores = ReturnType<typeof storesOfMove>;

/** The clinic's files. Throws when it has some and the store of the target is not set. */
export async function listFiles(source: pg.Client, clinicId: string, { to }: Stores): Promise<{ key: string; size: string }[]> {
  const { rows } = await source.query<{ key: string; size: string }>(STORED, [clinicId]);
  if (rows.length > 0 && !to)
    throw new OpsFault('The clinic has files: set TARGET_DATA_DIR, or TARGET_S3_ENDPOINT and the other TARGET_S3 settings, to the store of the target.');
  return rows;
}

/** Skips the keys in `copied`, and adds those that it copies. */
export async function copyFiles(source: pg.Client, clinicId: string, stores: Stores, copied: Set<string>, print: (line: string) => void): Promise<void> {
  const { from, to } = stores;
  const rows = await listFiles(source, clinicId, stores);
  for (const { key, size } of rows) {
    if (!from || !to || copied.has(key)) continue;
    const content = await from.get(key);
    if (!content) throw new OpsFault(`The store of files lacks ${key}: check DATA_DIR or S3_ENDPOINT.`);
    await to.put(key, encryptedSize(Number(size)), content);
    copied.add(key);
    printFiles(print, copied.size, rows.length);
  }
}
