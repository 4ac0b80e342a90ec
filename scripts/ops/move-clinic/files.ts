// Copies the contents of a clinic's files, which stay encrypted, from the store of the source to that of the target.
import { encryptedSize } from '@clinic/lib/crypto/content.ts';
import type pg from 'pg';
import { OpsFault } from '../command.ts';
import type { storesOfMove } from '../installation.ts';

const STORED = `select clinic_id || '/' || id as key, size from scheduling.patient_files where clinic_id = $1 and stored_at is not null`;

/** Contents in `copied` are skipped; the others are added to it. */
export async function copyFiles(source: pg.Client, clinicId: string, { from, to }: ReturnType<typeof storesOfMove>, copied: Set<string>): Promise<void> {
  const { rows } = await source.query<{ key: string; size: string }>(STORED, [clinicId]);
  if (rows.length > 0 && !to)
    throw new OpsFault('The clinic has files: name the store of the target by TARGET_DATA_DIR, or TARGET_S3_ENDPOINT and the others.');
  for (const { key, size } of rows) {
    if (!from || !to || copied.has(key)) continue;
    const content = await from.get(key);
    if (!content) throw new OpsFault(`The store of files lacks ${key}: check DATA_DIR or S3_ENDPOINT.`);
    await to.put(key, encryptedSize(Number(size)), content);
    copied.add(key);
  }
}
