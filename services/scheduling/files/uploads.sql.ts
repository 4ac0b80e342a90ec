// Files that are being uploaded, and their chunks that have arrived.
import { type Db, execute, getRow, readTenant, row, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import type { ContentType, FileKind } from './file-rules.ts';

export type UploadRow = {
  id: string;
  patient_id: string;
  name: string;
  kind: FileKind | null;
  description: string | null;
  size: bigint;
  key_sealed: Buffer;
  uploaded_by: string | null;
  reserved_at: Date | null;
};

const insertStatement = sql(`
  insert into patient_files (clinic_id, id, patient_id, name, kind, description, size, key_sealed, uploaded_by, created_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`);

type NewUpload = Omit<UploadRow, 'reserved_at'>;

export async function insertUpload(tx: TenantTx, upload: NewUpload, now: Date): Promise<void> {
  const { id, patient_id, name, kind, description, size, key_sealed, uploaded_by } = upload;
  await execute(tx, insertStatement, [tx.clinicId, id, patient_id, name, kind, description, size, key_sealed, uploaded_by, now]);
}

const COLUMNS = 'id, patient_id, name, kind, description, size, key_sealed, uploaded_by, reserved_at';
const findStatement = sql<UploadRow>(`select ${COLUMNS} from patient_files where clinic_id = $1 and id = $2`);

export const findUpload = async (db: Db, clinicId: string, id: string) => (await readTenant(db, clinicId, findStatement, [clinicId, id]))[0];

const lockStatement = sql<UploadRow>(`select ${COLUMNS} from patient_files where clinic_id = $1 and id = $2 for update`);

/** Also finds a file that is already stored. */
export const lockUpload = (tx: TenantTx, id: string) => row(tx, lockStatement, [tx.clinicId, id]);

const insertChunkStatement = sql(`
  insert into patient_file_chunks (clinic_id, file_id, seq, content_sealed) values ($1, $2, $3, $4) on conflict do nothing`);

/** Does nothing when the chunk was stored before. */
export const insertChunk = (tx: TenantTx, id: string, seq: number, ciphertext: Buffer) => execute(tx, insertChunkStatement, [tx.clinicId, id, seq, ciphertext]);

const sumChunksStatement = sql<{ count: number; bytes: number }>(`
  select count(*)::int as count, coalesce(sum(octet_length(content_sealed)), 0)::int as bytes from patient_file_chunks where clinic_id = $1 and file_id = $2`);

/** The number of chunks, and their encrypted size. */
export const sumChunks = (tx: TenantTx, id: string) => getRow(tx, sumChunksStatement, [tx.clinicId, id]);

const findChunkStatement = sql<{ content_sealed: Buffer }>(`
  select content_sealed from patient_file_chunks where clinic_id = $1 and file_id = $2 and seq = $3`);

/** Encrypted. */
export const findChunk = async (db: Db, clinicId: string, id: string, seq: number) =>
  (await readTenant(db, clinicId, findChunkStatement, [clinicId, id, seq]))[0]?.content_sealed;

const lockSizesStatement = sql(`select pg_advisory_xact_lock(hashtextextended('files ' || $1::text, 0))`);
const sumSizesStatement = sql<{ bytes: bigint }>(`
  select coalesce(sum(size), 0)::bigint as bytes from patient_files where clinic_id = $1 and reserved_at is not null`);

/** The bytes of all files of the clinic, summed under a lock until the transaction ends, so that concurrent files are added one after another. */
export async function lockAndSumSizes(tx: TenantTx): Promise<bigint> {
  await execute(tx, lockSizesStatement, [tx.clinicId]);
  return sumSizes(tx);
}

export const sumSizes = async (tx: TenantTx) => (await row(tx, sumSizesStatement, [tx.clinicId]))?.bytes ?? 0n;

const reserveStatement = sql('update patient_files set size = $3, reserved_at = $4 where clinic_id = $1 and id = $2');

export const setReserved = (tx: TenantTx, id: string, size: bigint, now: Date) => execute(tx, reserveStatement, [tx.clinicId, id, size, now]);

const storeStatement = sql(`
  update patient_files set content_type = $3, kind = $4, hash = $5, reserved_at = coalesce(reserved_at, $6), stored_at = $6
  where clinic_id = $1 and id = $2 and stored_at is null`);
const deleteChunksStatement = sql('delete from patient_file_chunks where clinic_id = $1 and file_id = $2');

type Stored = { content_type: ContentType; kind: FileKind; hash: Buffer };

/** Returns false when the upload was deleted or stored meanwhile. */
export async function setStored(tx: TenantTx, id: string, { content_type, kind, hash }: Stored, now: Date): Promise<boolean> {
  const stored = await execute(tx, storeStatement, [tx.clinicId, id, content_type, kind, hash, now]);
  await execute(tx, deleteChunksStatement, [tx.clinicId, id]);
  return stored === 1;
}

const abandonStatement = sql('delete from patient_files where clinic_id = $1 and id = $2 and stored_at is null');

/** Does nothing to a file that is stored. */
export const deleteUpload = (tx: TenantTx, id: string) => execute(tx, abandonStatement, [tx.clinicId, id]);
