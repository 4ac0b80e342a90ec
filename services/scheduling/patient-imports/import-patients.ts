// Runs an import: parses the stored file and writes batches of rows, each in one transaction with its progress. After a crash the import
// continues from the last progress; of two concurrent runs one stops.

import { decrypt } from '@clinic/lib/crypto/crypto.ts';
import { inTenant, type TenantTx } from '@clinic/lib/db/db.ts';
import { toServiceError } from '@clinic/lib/errors/errors.ts';
import { dateIn } from '@clinic/lib/formats/local-date.ts';
import type { App } from '../app.ts';
import { readZone } from '../clinics/clinics.sql.ts';
import { delimiterOf, parseRows } from './csv-rows-rules.ts';
import { type Columns, columnsOf } from './import-columns-rules.ts';
import { type Fault, parseImportRow, phoneKey, type ImportRow as ReadRow, type Seen } from './parse-import-row.ts';
import { addProgress, finishImport, type ImportRow, loadChunk, lockImport } from './patient-imports.sql.ts';
import { writeBatch } from './write-import-batch.ts';

export const IMPORT_PATIENTS = 'import-patients';
export const chunkContext = (clinicId: string, importId: string, seq: number) => `${clinicId}/patient_import_chunks/${importId}/${seq}`;

/** The most patients that one event may contain. */
const BATCH = 500;
const MAX_ROWS = 250_000;
const BYTE_ORDER_MARK = '\uFEFF';

type Batch = { rows: ReadRow[]; faults: Fault[]; read: number; bytes: number };
type ImportRef = { clinicId: string; importId: string };

/** Returns when the import is done. Does nothing when it is not running. */
export async function importPatients(app: App, { clinicId, importId }: ImportRef): Promise<void> {
  const started = await inTenant(app.db, clinicId, (tx) => lockImport(tx, importId));
  if (started?.status !== 'running') return;
  let done = started.rows_read;
  const seen: Seen = new Map();
  for await (const batch of batches(app, clinicId, started, seen, done)) {
    const before = done;
    const work = async (tx: TenantTx) => {
      const found = await lockImport(tx, importId);
      if (found?.status !== 'running' || found.rows_read !== before) return false;
      const written = await writeBatch(app, tx, found, batch.rows, seen);
      const faults = [...batch.faults, ...written.faults].sort((a, b) => a.row - b.row);
      await addProgress(tx, found, { ...written, faults, rows: batch.read, bytes: batch.bytes });
      return true;
    };
    if (!(await retryConflicts(() => inTenant(app.db, clinicId, work)))) return;
    done += batch.read;
  }
  await inTenant(app.db, clinicId, (tx) => finishImport(tx, importId, app.clock.now()));
}

/** Concurrent changes of the same patients make a batch fail with CONFLICT: then it is written again. */
async function retryConflicts<T>(attempt: () => Promise<T>, attempts = 5): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    if (attempts <= 1 || toServiceError(error, {}).reason !== 'CONFLICT') throw error;
    return retryConflicts(attempt, attempts - 1);
  }
}

/** The rows after the first `skip` ones, parsed. All rows are added to `seen`, so that repeated phones are found. */
async function* batches(app: App, clinicId: string, { id, country }: ImportRow, seen: Seen, skip: number): AsyncGenerator<Batch> {
  const source = openFile(app, clinicId, id);
  const today = dateIn(await readZone(app.db, clinicId), app.clock.now());
  let columns: Columns | undefined;
  let number = 0;
  let batch: Batch = { rows: [], faults: [], read: 0, bytes: 0 };
  for await (const cells of parseRows(source.text, await source.delimiter)) {
    number++;
    if (!columns) {
      columns = columnsOf(cells ?? []);
      continue;
    }
    const parsed = number - 1 > MAX_ROWS ? [tooMany(number)] : cells ? parseImportRow(number, cells, columns, country, today) : [unreadable(number)];
    const checked = parsed && !Array.isArray(parsed) ? (repeated(parsed, columns, seen) ?? parsed) : parsed;
    if (number - 1 > skip) {
      if (Array.isArray(checked)) batch.faults.push(...checked);
      else if (checked) batch.rows.push(checked);
      batch.read++;
      batch.bytes = source.read();
      if (batch.read === BATCH) {
        yield batch;
        batch = { rows: [], faults: [], read: 0, bytes: 0 };
      }
    }
    if (number - 1 > MAX_ROWS) break;
  }
  if (batch.read > 0) yield batch;
}

/** A second row of a patient is an error: the rows would overwrite each other at every import. */
function repeated({ row, fields, guardianPhone }: ReadRow, columns: Columns, seen: Seen): Fault[] | undefined {
  const key = fields.phone ? phoneKey(fields.phone) : `${guardianPhone}${fields.search_name}`;
  const first = seen.get(key);
  if (first === undefined) seen.set(key, row);
  if (first === undefined || first === row) return undefined;
  return [{ row, column: columns.phone?.header ?? '', message: `is in row ${first} already: one of a family has the phone, the others telefono_responsable` }];
}

const unreadable = (row: number): Fault => ({ row, column: '', message: 'cannot be read: its quotes do not match' });
const tooMany = (row: number): Fault => ({ row, column: '', message: `is too much: a file may have ${MAX_ROWS} rows` });

/** The file as text, its delimiter, and the number of bytes read so far. */
function openFile(app: App, clinicId: string, importId: string) {
  let bytes = 0;
  const decoder = new TextDecoder('utf-8');
  const readText = async (seq: number) => {
    const ciphertext = await loadChunk(app.db, clinicId, importId, seq);
    if (!ciphertext) return undefined;
    const content = Buffer.from(decrypt(app.keys, ciphertext, chunkContext(clinicId, importId, seq)), 'base64');
    bytes += content.length;
    return decoder.decode(content, { stream: true });
  };
  const first = readText(0);
  async function* text() {
    for (let seq = 0, next = await first; next !== undefined; next = await readText(++seq)) yield next;
    yield decoder.decode();
  }
  return { text: text(), delimiter: first.then((start = '') => delimiterOf(headerOf(start))), read: () => bytes };
}

/** The first line, without a byte order mark. */
export const headerOf = (text: string) => (text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text).split(/[\r\n]/, 1)[0] ?? '';
