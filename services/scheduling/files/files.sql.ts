// Files of patients, without their contents.
import { type Db, execute, readTenant, row, rows, type SystemTx, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import { readPage } from '@clinic/lib/db/read-page.ts';
import type { Page } from '@clinic/lib/formats/page.ts';
import { toFields } from '@clinic/lib/formats/to-fields.ts';
import { recordsOf, refuseMergedRecord } from '../patient-records/records.sql.ts';
import type { ContentType, FileKind } from './file-rules.ts';

/** A file that is stored. */
type FileRow = {
  id: string;
  /** The patient into whom the file's record was merged, or that record itself. */
  patient_id: string;
  name: string;
  kind: FileKind;
  description: string | null;
  content_type: ContentType;
  size: bigint;
  hash: Buffer;
  has_thumbnail: boolean;
  uploaded_by: string | null;
  created_at: Date;
};

export function toProto(file: FileRow) {
  const path = `/api/patients/${file.patient_id}/files/${file.id}`;
  return {
    ...toFields(file),
    hash: file.hash.toString('hex'),
    contentUrl: `${path}/content`,
    thumbnailUrl: file.has_thumbnail ? `${path}/thumbnail` : undefined,
  };
}

const COLUMNS = `f.id, coalesce(r.merged_into, r.id) as patient_id, f.name, f.kind, f.description, f.content_type, f.size, f.hash,
  f.thumbnail_sealed is not null as has_thumbnail, f.uploaded_by, f.created_at`;
const FROM = `patient_files f join patients r on r.clinic_id = f.clinic_id and r.id = f.patient_id`;
const STORED = `f.clinic_id = $1 and f.stored_at is not null and f.patient_id = any(${recordsOf('$1', '$2')})`;

/** Text in lower case and without accents. The argument is SQL. */
const folded = (text: string) => `lower(public.unaccent('public.unaccent', normalize(${text})))`;
const MATCHES = `${STORED} and ($3::text is null or f.kind = $3)
  and ($4::text is null or strpos(${folded("concat_ws(' ', f.name, f.description)")}, ${folded('$4')}) > 0)
  and ($5::timestamptz is null or f.created_at >= $5) and ($6::timestamptz is null or f.created_at < $6)`;
const listStatement = sql<FileRow & { total: number }>(`
  select counted.total, page.* from (select count(*)::int as total from patient_files f where ${MATCHES}) counted
  left join lateral (select ${COLUMNS} from ${FROM} where ${MATCHES} order by f.created_at desc, f.id desc limit $7 offset $8) page on true`);

type FileFilter = { patientId: string; kind: FileKind | null; search: string | null; from: Date | null; until: Date | null };

export const listFiles = (db: Db, clinicId: string, { patientId, kind, search, from, until }: FileFilter, { limit, offset }: Page) =>
  readPage(db, clinicId, listStatement, [clinicId, patientId, kind, search, from, until, limit, offset]);

const findStatement = sql<FileRow>(`select ${COLUMNS} from ${FROM} where ${STORED} and f.id = $3`);

/** Undefined when it is no file of the patient. */
export const findFile = (tx: TenantTx, patientId: string, id: string) => row(tx, findStatement, [tx.clinicId, patientId, id]);

const lockStatement = sql('select from patient_files where clinic_id = $1 and id = $2 for update');

/** The same, locked. */
export async function lockFile(tx: TenantTx, patientId: string, id: string): Promise<FileRow | undefined> {
  await refuseMergedRecord(tx, patientId);
  const [, found] = await Promise.all([execute(tx, lockStatement, [tx.clinicId, id]), findFile(tx, patientId, id)]);
  return found;
}

export type ContentRow = { id: string; name: string; content_type: ContentType; size: bigint; key_sealed: Buffer; thumbnail_sealed: Buffer | null };

const findContentStatement = sql<ContentRow>(`
  select f.id, f.name, f.content_type, f.size, f.key_sealed, f.thumbnail_sealed from patient_files f where ${STORED} and f.id = $3`);

export const findContent = async (db: Db, clinicId: string, patientId: string, id: string) =>
  (await readTenant(db, clinicId, findContentStatement, [clinicId, patientId, id]))[0];

const contentByIdStatement = sql<ContentRow>(`
  select id, name, content_type, size, key_sealed, thumbnail_sealed from patient_files where clinic_id = $1 and id = $2 and stored_at is not null`);

export const findContentById = async (db: Db, clinicId: string, id: string) => (await readTenant(db, clinicId, contentByIdStatement, [clinicId, id]))[0];

const updateStatement = sql(`update patient_files set name = $3, kind = $4, description = $5 where clinic_id = $1 and id = $2`);

export const updateFile = (tx: TenantTx, { id, name, kind, description }: FileRow) => execute(tx, updateStatement, [tx.clinicId, id, name, kind, description]);

const setThumbnailStatement = sql('update patient_files set thumbnail_sealed = $3 where clinic_id = $1 and id = $2');

export const setThumbnail = (tx: TenantTx, id: string, ciphertext: Buffer) => execute(tx, setThumbnailStatement, [tx.clinicId, id, ciphertext]);

const deleteStatement = sql(`
  delete from patient_files f where f.clinic_id = $1 and f.id = $2
    and not exists (select from forms g where g.clinic_id = $1 and g.patient_id = f.patient_id and g.file_id = f.id)`);

/** A job deletes the content. False when the file is the PDF of a signed form, which names it for good. */
export const deleteFile = async (tx: TenantTx, id: string): Promise<boolean> => (await execute(tx, deleteStatement, [tx.clinicId, id])) === 1;

const deleteUnstoredStatement = sql('delete from patient_files where stored_at is null and created_at < $1');

/** Of all clinics. */
export const deleteUnstored = (tx: SystemTx, before: Date) => execute(tx, deleteUnstoredStatement, [before]);

export type DeletedRow = { clinic_id: string; id: string };
const listDeletedStatement = sql<DeletedRow>('select clinic_id, id from deleted_files order by deleted_at, clinic_id, id limit $1 offset $2');

/** Of all clinics, the first deleted first. */
export const listDeleted = (tx: SystemTx, limit: number, offset: number) => rows(tx, listDeletedStatement, [limit, offset]);

const forgetStatement = sql('delete from deleted_files where clinic_id = $1 and id = $2');

export const forgetDeleted = (tx: SystemTx, { clinic_id, id }: DeletedRow) => execute(tx, forgetStatement, [clinic_id, id]);
