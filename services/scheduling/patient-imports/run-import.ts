// Runs an import: parses the stored file and writes batches of rows, each in one transaction with its progress. After a crash the import
// continues from the last progress; of two concurrent runs one stops.
import { decrypt } from '@clinic/lib/crypto/crypto.ts';
import { asSystem, inTenant, type TenantTx } from '@clinic/lib/db/db.ts';
import { toServiceError } from '@clinic/lib/errors/errors.ts';
import { dateIn } from '@clinic/lib/formats/local-date.ts';
import { job } from '@clinic/lib/jobs/jobs.ts';
import type { App } from '../app.ts';
import { findZone } from '../clinics/clinics.sql.ts';
import { delimiterOf, parseRows } from './csv-rows-rules.ts';
import { type Columns, columnsOf } from './import-columns-rules.ts';
import type { Context, Kind, Seen } from './import-kind.ts';
import { addProgress, deleteOldImports, type Fault, findChunk, finishImport, type ImportRow, lockImport } from './patient-imports.sql.ts';

export const chunkContext = (clinicId: string, importId: string, seq: number) => `${clinicId}/patient_import_chunks/${importId}/${seq}`;

/** The most patients or appointments that one event may contain. */
const BATCH = 500;
const MAX_ROWS = 250_000;

type ReadRow = { row: number };
type Batch = { rows: ReadRow[]; faults: Fault[]; read: number; bytes: number };
type ImportRef = { clinicId: string; importId: string };

/** Returns when the import is done. Does nothing when it is not running. */
export async function runImport(app: App, kind: Kind, { clinicId, importId }: ImportRef): Promise<void> {
  const started = await inTenant(app.db, clinicId, (tx) => lockImport(tx, importId));
  if (started?.status !== 'running') return;
  const zone = await findZone(app.db, clinicId);
  const context: Context = { clinicId, country: started.country, zone, today: dateIn(zone, app.clock.now()) };
  let done = started.rows_read;
  const seen: Seen = new Map();
  for await (const batch of batches(app, clinicId, kind, started, context, seen)) {
    const before = done;
    const work = (write: Awaited<ReturnType<Kind['prepare']>>) => async (tx: TenantTx) => {
      const found = await lockImport(tx, importId);
      if (found?.status !== 'running' || found.rows_read !== before) return false;
      const written = await write(tx);
      const faults = [...batch.faults, ...written.faults].sort((a, b) => a.row - b.row);
      await addProgress(tx, found, { ...written, faults, rows: batch.read, bytes: batch.bytes });
      return true;
    };
    const attempt = async () => inTenant(app.db, clinicId, work(await kind.prepare(app, { ...started, rows_read: before }, batch.rows, seen, context)));
    if (!(await retryConflicts(attempt))) return;
    done += batch.read;
  }
  await inTenant(app.db, clinicId, (tx) => finishImport(tx, importId, app.clock.now()));
}

/** A batch fails with CONFLICT when the same patients are changed concurrently; it is then written again. */
async function retryConflicts<T>(attempt: () => Promise<T>, attempts = 5): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    if (attempts <= 1 || toServiceError(error, {}).reason !== 'CONFLICT') throw error;
    return retryConflicts(attempt, attempts - 1);
  }
}

/** The rows after those that were read before, parsed. All rows are added to `seen`, so that repeated ones are found. */
async function* batches(app: App, clinicId: string, kind: Kind, { id, rows_read: skip }: ImportRow, context: Context, seen: Seen): AsyncGenerator<Batch> {
  const source = openFile(app, clinicId, id);
  let columns: Columns<string> | undefined;
  let number = 0;
  let batch: Batch = { rows: [], faults: [], read: 0, bytes: 0 };
  for await (const cells of parseRows(source.text, await source.delimiter)) {
    number++;
    if (!columns) {
      columns = columnsOf(kind.columns, cells ?? []);
      continue;
    }
    const parsed = number - 1 > MAX_ROWS ? [tooMany(number)] : cells ? kind.parse(number, cells, columns, context) : [unreadable(number)];
    const checked = parsed && !Array.isArray(parsed) ? (repeated(kind, parsed, columns, seen) ?? parsed) : parsed;
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

/** A second row with the same key is an error: the rows would overwrite each other at every import. */
function repeated(kind: Kind, parsed: ReadRow, columns: Columns<string>, seen: Seen): Fault[] | undefined {
  const key = kind.keyOf(parsed);
  const first = seen.get(key);
  if (first === undefined) seen.set(key, parsed.row);
  return first === undefined || first === parsed.row ? undefined : [{ row: parsed.row, ...kind.repeated(columns, first, parsed) }];
}

const unreadable = (row: number): Fault => ({ row, column: '', message: 'cannot be read: its quotes do not match' });
const tooMany = (row: number): Fault => ({ row, column: '', message: `is beyond the limit: a file may have ${MAX_ROWS} rows` });

/** The file as text, its delimiter, and the number of bytes read so far. */
function openFile(app: App, clinicId: string, importId: string) {
  let bytes = 0;
  let decoder: ReturnType<typeof decoderOf> | undefined;
  const readText = async (seq: number) => {
    const ciphertext = await findChunk(app.db, clinicId, importId, seq);
    if (!ciphertext) return undefined;
    const content = Buffer.from(decrypt(app.keys, ciphertext, chunkContext(clinicId, importId, seq)), 'base64');
    bytes += content.length;
    decoder ??= decoderOf(content);
    return decoder.decode(content, { stream: true });
  };
  const first = readText(0);
  async function* text() {
    for (let seq = 0, next = await first; next !== undefined; next = await readText(++seq)) yield next;
    if (decoder) yield decoder.decode();
  }
  return { text: text(), delimiter: first.then((start = '') => delimiterOf(headerOf(start))), read: () => bytes };
}

/** Decodes UTF-16 if the file begins with its byte order mark, as the "Unicode text" of spreadsheets does, and otherwise UTF-8. Omits the mark. */
export function decoderOf([first, second]: Uint8Array) {
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le');
  return new TextDecoder(first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8');
}

/** The first line. */
export const headerOf = (text: string) => text.split(/[\r\n]/, 1)[0] ?? '';

const DAY_MS = 86_400_000;
const RETENTION_DAYS = 30;
/** Longer than the upload of a file may take. */
export const UNFINISHED_MS = 3_600_000;

export const importJob = (app: App, kind: Kind) =>
  job<{ clinicId: string; importId: string }>(kind.job, { limitSeconds: 1_800 }, (ref) => runImport(app, kind, ref));

/** Incomplete uploads are deleted after an hour, finished imports after 30 days. */
export const deleteOldImportsJob = ({ db, clock }: Pick<App, 'db' | 'clock'>) =>
  job('delete-old-patient-imports', { cron: '37 * * * *' }, async () => {
    const now = clock.now().getTime();
    // As the system: imports of all clinics.
    await asSystem(db, (tx) => deleteOldImports(tx, new Date(now - RETENTION_DAYS * DAY_MS), new Date(now - UNFINISHED_MS)));
  });
