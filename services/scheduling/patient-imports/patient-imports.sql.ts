// Imports of patients, appointments or balances: the file in encrypted chunks, the progress, and the errors.
import { type Db, execute, getRow, readTenant, row, rows, type SystemTx, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import { toFields } from '@clinic/lib/formats/to-fields.ts';

export type Kinds = 'patients' | 'appointments' | 'balances';

export type ImportRow = {
  id: string;
  /** The kind of the rows, known when the file is complete. */
  kind: Kinds;
  dry_run: boolean;
  /** Titles of columns of the file, known when it is complete. */
  ignored_columns: string[];
  country: string;
  status: 'receiving' | 'running' | 'done';
  bytes: bigint;
  bytes_read: bigint;
  rows_read: number;
  created: number;
  updated: number;
  skipped: number;
  faults: number;
  created_by: string;
  created_at: Date;
  finished_at: Date | null;
};

/** An error in a row of an imported file. */
export type Fault = { row: number; column: string; message: string };
type FaultRow = { number: number; row: number; column_name: string; message: string };

export function toImport(found: ImportRow, faults: FaultRow[]) {
  return {
    ...toFields(found),
    rows: found.rows_read,
    progress: found.status === 'done' ? 100 : found.bytes === 0n ? 0 : Number((found.bytes_read * 99n) / found.bytes),
    errorCount: found.faults,
    errors: faults.map((fault) => ({ row: fault.row, column: fault.column_name, message: fault.message })),
  };
}

const COLUMNS = `id, kind, dry_run, ignored_columns, country, status, bytes, bytes_read, rows_read, created, updated, skipped, faults, created_by, created_at,
  finished_at`;

const insertStatement = sql(`
  insert into patient_imports (clinic_id, id, dry_run, country, created_by, created_at) values ($1, $2, $3, $4, $5, $6)`);

type Begun = Pick<ImportRow, 'id' | 'dry_run' | 'country' | 'created_by'>;

export const insertImport = (tx: TenantTx, { id, dry_run, country, created_by }: Begun, now: Date) =>
  execute(tx, insertStatement, [tx.clinicId, id, dry_run, country, created_by, now]);

const sumUnfinishedStatement = sql<{ bytes: bigint }>(`
  select coalesce(sum(bytes), 0)::bigint as bytes from patient_imports where clinic_id = $1 and status = 'receiving'`);

/** The bytes of the clinic's files that are being uploaded or were broken off. */
export const sumUnfinished = async (tx: TenantTx) => (await getRow(tx, sumUnfinishedStatement, [tx.clinicId])).bytes;

const findStatement = sql<ImportRow>(`select ${COLUMNS} from patient_imports where clinic_id = $1 and id = $2`);

export const findImport = (tx: TenantTx, id: string) => row(tx, findStatement, [tx.clinicId, id]);

const lockStatement = sql<ImportRow>(`select ${COLUMNS} from patient_imports where clinic_id = $1 and id = $2 for update`);

export const lockImport = (tx: TenantTx, id: string) => row(tx, lockStatement, [tx.clinicId, id]);

const insertChunkStatement = sql(`
  insert into patient_import_chunks (clinic_id, import_id, seq, content_sealed) values ($1, $2, $3, $4) on conflict do nothing`);
const addBytesStatement = sql('update patient_imports set bytes = bytes + $3 where clinic_id = $1 and id = $2');

/** Does nothing when the chunk was stored before. */
export async function insertChunk(tx: TenantTx, id: string, seq: number, ciphertext: Buffer, bytes: number): Promise<void> {
  const inserted = await execute(tx, insertChunkStatement, [tx.clinicId, id, seq, ciphertext]);
  if (inserted > 0) await execute(tx, addBytesStatement, [tx.clinicId, id, bytes]);
}

const findChunkStatement = sql<{ content_sealed: Buffer }>(`
  select content_sealed from patient_import_chunks where clinic_id = $1 and import_id = $2 and seq = $3`);

/** The encrypted content of a chunk. */
export const findChunk = async (db: Db, clinicId: string, importId: string, seq: number) =>
  (await readTenant(db, clinicId, findChunkStatement, [clinicId, importId, seq]))[0]?.content_sealed;

/** findChunk() within a transaction. */
export const findChunkIn = async (tx: TenantTx, importId: string, seq: number) =>
  (await row(tx, findChunkStatement, [tx.clinicId, importId, seq]))?.content_sealed;

const countChunksStatement = sql<{ count: number; last: number }>(`
  select count(*)::int as count, coalesce(max(seq), -1) as last from patient_import_chunks where clinic_id = $1 and import_id = $2`);

/** The number of chunks. Undefined when one is missing in between. */
export async function countChunks(tx: TenantTx, id: string): Promise<number | undefined> {
  const counted = await row(tx, countChunksStatement, [tx.clinicId, id]);
  return counted && counted.count === counted.last + 1 ? counted.count : undefined;
}

const setRunningStatement = sql(`
  update patient_imports set status = 'running', kind = $3, ignored_columns = $4 where clinic_id = $1 and id = $2`);

export const setRunning = (tx: TenantTx, id: string, kind: Kinds, ignoredColumns: string[]) =>
  execute(tx, setRunningStatement, [tx.clinicId, id, kind, ignoredColumns]);

type Progress = { rows: number; bytes: number; created: number; updated: number; skipped: number; faults: Fault[] };

const addProgressStatement = sql(`
  update patient_imports set rows_read = rows_read + $3, bytes_read = $4, created = created + $5, updated = updated + $6, skipped = skipped + $7, faults = faults + $8
  where clinic_id = $1 and id = $2`);
const insertFaultsStatement = sql(`
  insert into patient_import_faults (clinic_id, import_id, number, row, column_name, message)
  select $1, $2, $3 + fault.number, fault.row, fault.column_name, fault.message
  from unnest($4::int[], $5::text[], $6::text[]) with ordinality as fault (row, column_name, message, number)`);

/** Adds the progress of a batch. `before` must be locked in this transaction. */
export async function addProgress(tx: TenantTx, before: ImportRow, { rows, bytes, created, updated, skipped, faults }: Progress): Promise<void> {
  const columns = (['row', 'column', 'message'] as const).map((key) => faults.map((fault) => fault[key]));
  await Promise.all([
    execute(tx, addProgressStatement, [tx.clinicId, before.id, rows, bytes, created, updated, skipped, faults.length]),
    faults.length > 0 && execute(tx, insertFaultsStatement, [tx.clinicId, before.id, before.faults, ...columns]),
  ]);
}

const finishStatement = sql(`
  update patient_imports set status = 'done', finished_at = $3 where clinic_id = $1 and id = $2 and status = 'running'`);
const deleteChunksStatement = sql('delete from patient_import_chunks where clinic_id = $1 and import_id = $2');

/** Ends the import and deletes the file. */
export async function finishImport(tx: TenantTx, id: string, now: Date): Promise<void> {
  const ended = (await execute(tx, finishStatement, [tx.clinicId, id, now])) === 1;
  if (ended) await execute(tx, deleteChunksStatement, [tx.clinicId, id]);
}

const listFaultsStatement = sql<FaultRow>(`
  select number, row, column_name, message from patient_import_faults where clinic_id = $1 and import_id = $2 and number > $3 order by number limit $4`);

export const listFaults = (tx: TenantTx, id: string, after: number, limit: number) => rows(tx, listFaultsStatement, [tx.clinicId, id, after, limit]);

const deleteUnfinishedStatement = sql(`delete from patient_imports where clinic_id = $1 and id = $2 and status = 'receiving'`);

/** Does nothing to an import whose file is complete. */
export const deleteUnfinished = (tx: TenantTx, id: string) => execute(tx, deleteUnfinishedStatement, [tx.clinicId, id]);

const deleteOldStatement = sql(`
  delete from patient_imports where created_at < $1 or (created_at < $2 and status = 'receiving')`);

export const deleteOldImports = (tx: SystemTx, before: Date, receivedBefore: Date) => execute(tx, deleteOldStatement, [before, receivedBefore]);
