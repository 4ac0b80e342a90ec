// Data-subject requests: exports the files of a patient or a clinic, decrypted.
import { createWriteStream, mkdirSync } from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { readSystem, sql } from '@clinic/lib/db/db.ts';
import { openContent } from '../../services/scheduling/files/download-file.ts';
import type { ContentRow } from '../../services/scheduling/files/files.sql.ts';
import { FLUSHED } from './backup/files.ts';
import type { Ops } from './command.ts';
import { fileStore } from './installation.ts';
import { printFiles } from './print-files.ts';
import type { Subject } from './subjects.ts';

const listStatement = sql<ContentRow>(`
  select id, name, content_type, size, key_sealed, null::bytea as thumbnail_sealed from patient_files
  where clinic_id = $1 and stored_at is not null and ($2::uuid[] = '{}' or patient_id = any($2)) order by id`);

const NAME_BYTES = 200;

/** `<id> <name>`, with the end of a name that would be too long for a file system, which allows 255 bytes. */
export function exportedName({ id, name }: Pick<ContentRow, 'id' | 'name'>): string {
  const end = Buffer.from(name).subarray(-NAME_BYTES).toString();
  return `${id} ${end.replace(/^\uFFFD+/, '')}`; // without the rest of a character that was cut
}

/** Writes each file into the folder under its exportedName. Returns their number. */
export async function exportFiles(ops: Ops, { clinicId = '', patientIds = [] }: Subject, folder: string): Promise<number> {
  const rows = await readSystem(ops.open('scheduling'), listStatement, [clinicId, patientIds]);
  if (rows.length === 0) return 0;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const app = { files: fileStore(), keys: ops.keys('scheduling') };
  for (const [index, row] of rows.entries()) {
    printFiles(ops.print, index, rows.length);
    await pipeline(openContent(app, clinicId, row), createWriteStream(path.join(folder, exportedName(row)), FLUSHED));
  }
  return rows.length;
}
