// Moves tax documents and profiles from one patient to another. As the system, because event consumers call it.
import type { NamedKey } from '@clinic/lib/config/config.ts';
import { execute, row, rows, type SystemTx, sql } from '@clinic/lib/db/db.ts';
import { decryptJson, encryptJson, profileContext } from '../encrypted-columns.ts';
import { DOCUMENT_COLUMNS, type DocumentRow } from './documents.sql.ts';

export type Merge = { clinicId: string; mergeId: string; keptId: string; mergedId: string };

const insertStatement = sql(`
  insert into dte_patient_merges (clinic_id, merge_id, kept_id, merged_id, undone) values ($1, $2, $3, $4, $5) on conflict do nothing`);

/** False when the merge is already stored, as done or as undone. */
export const insertMerge = async (tx: SystemTx, { clinicId, mergeId, keptId, mergedId }: Merge, undone: boolean) =>
  (await execute(tx, insertStatement, [clinicId, mergeId, keptId, mergedId, undone])) === 1;

export type Moved = { documents: string[]; profile: boolean };

const recordStatement = sql('update dte_patient_merges set documents = $3, profile = $4 where clinic_id = $1 and merge_id = $2');

export const recordMoved = (tx: SystemTx, { clinicId, mergeId }: Merge, { documents, profile }: Moved) =>
  execute(tx, recordStatement, [clinicId, mergeId, documents, profile]);

const undoStatement = sql<Moved>(`
  update dte_patient_merges set undone = true where clinic_id = $1 and merge_id = $2 and not undone returning documents, profile`);

/** What the merge moved; undefined when it was already undone. */
export const undoMerge = (tx: SystemTx, { clinicId, mergeId }: Merge): Promise<Moved | undefined> => row(tx, undoStatement, [clinicId, mergeId]);

const moveStatement = sql<DocumentRow>(`
  update dte_documents set patient_id = $3, revision = revision + 1 where clinic_id = $1 and patient_id = $2 and ($4::uuid[] is null or id = any($4))
  returning ${DOCUMENT_COLUMNS}`);

/** Moves the documents with these ids, or all. */
export const moveDocuments = (tx: SystemTx, clinicId: string, from: string, to: string, ids: string[] | null): Promise<DocumentRow[]> =>
  rows(tx, moveStatement, [clinicId, from, to, ids]);

const findProfileStatement = sql<{ profile_sealed: Buffer }>('select profile_sealed from dte_tax_profiles where clinic_id = $1 and patient_id = $2 for update');
const addProfileStatement = sql(`
  insert into dte_tax_profiles (clinic_id, patient_id, profile_sealed, updated_at) values ($1, $2, $3, $4) on conflict do nothing`);
const deleteProfileStatement = sql('delete from dte_tax_profiles where clinic_id = $1 and patient_id = $2');

/** False when there is no profile to move, or the other patient has one, which stays. */
export async function moveProfile(tx: SystemTx, keys: NamedKey[], clinicId: string, from: string, to: string, now: Date): Promise<boolean> {
  const found = await row(tx, findProfileStatement, [clinicId, from]);
  if (!found) return false;
  const profile = decryptJson<object>(keys, found.profile_sealed, profileContext(clinicId, from));
  if ((await execute(tx, addProfileStatement, [clinicId, to, encryptJson(keys, profile, profileContext(clinicId, to)), now])) === 0) return false;
  await execute(tx, deleteProfileStatement, [clinicId, from]);
  return true;
}
