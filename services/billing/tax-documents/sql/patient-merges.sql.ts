// Moves tax documents and profiles from one patient to another. As the system, because event consumers call it.
import type { NamedKey } from '@clinic/lib/config/config.ts';
import { type Db, execute, readTenant, row, rows, type SystemTx, sql } from '@clinic/lib/db/db.ts';
import { withRelated } from '@clinic/lib/merges/related.sql.ts';
import { decryptJson, encryptJson, profileContext } from '../encrypted-columns.ts';
import type { ProfileMerge } from '../rules/profile-places.ts';
import { LISTED_COLUMNS, type ListedRow } from './documents.sql.ts';

/** A merge; `merge_id` is a UUIDv7, so that merges are in the order in which they were made. */
type Merge = { clinic_id: string; merge_id: string; kept_id: string; merged_id: string };

/** `documents`: the ids of the documents that it moved. */
export type MergeRow = Merge & { documents: string[] };

const lockStatement = sql("select pg_advisory_xact_lock(hashtextextended('billing patient merges ' || $1::text, 0))");

/** Serializes the merges of a clinic and their undos. */
export const lockMerges = (tx: SystemTx, clinicId: string) => execute(tx, lockStatement, [clinicId]);

const insertStatement = sql(`
  insert into dte_patient_merges (clinic_id, merge_id, kept_id, merged_id, undone) values ($1, $2, $3, $4, $5) on conflict do nothing`);

/** False when the merge is already stored, as done or as undone. */
export const insertMerge = async (tx: SystemTx, { clinic_id, merge_id, kept_id, merged_id }: Merge, undone: boolean) =>
  (await execute(tx, insertStatement, [clinic_id, merge_id, kept_id, merged_id, undone])) === 1;

// The last merge in which the patient took part decides: an earlier one was undone before it, even if the event of its undo has not been handled.
const findStatement = sql<Merge>(`
  select clinic_id, merge_id, kept_id, merged_id from (
    select * from dte_patient_merges where clinic_id = $1 and $2 in (kept_id, merged_id) order by merge_id desc limit 1
  ) last where merged_id = $2 and not undone`);

/** The merge of this patient into another one; undefined for a patient who is not merged. */
export const findMergeOf = (tx: SystemTx, clinicId: string, patientId: string) => row(tx, findStatement, [clinicId, patientId]);

/** The id of the patient who remains after merges, as far as their events have been handled; the same id for others. */
export async function remainingId(db: Db, clinicId: string, patientId: string): Promise<string> {
  const [merge] = await readTenant(db, clinicId, findStatement, [clinicId, patientId]);
  return merge ? remainingId(db, clinicId, merge.kept_id) : patientId;
}

const addStatement = sql('update dte_patient_merges set documents = documents || $3::uuid[] where clinic_id = $1 and merge_id = $2');

export const addMoved = (tx: SystemTx, { clinic_id, merge_id }: Merge, documents: string[]) => execute(tx, addStatement, [clinic_id, merge_id, documents]);

const removeDocumentsStatement = sql(`
  update dte_patient_merges set documents = array(select unnest(documents) except select unnest($3::uuid[]))
  where clinic_id = $1 and merge_id > $2 and not undone and documents && $3::uuid[]`);

/** Removes the documents of this merge from what later merges have moved. */
export const removeDocuments = (tx: SystemTx, { clinic_id, merge_id, documents }: MergeRow) =>
  execute(tx, removeDocumentsStatement, [clinic_id, merge_id, documents]);

const setUndoneStatement = sql<MergeRow>(`
  update dte_patient_merges set undone = true where clinic_id = $1 and merge_id = $2 and not undone
  returning clinic_id, merge_id, kept_id, merged_id, documents`);

/** Undefined when the merge was already undone. */
export const setUndone = (tx: SystemTx, { clinic_id, merge_id }: Merge) => row(tx, setUndoneStatement, [clinic_id, merge_id]);

// $1 clinic, $2 patient.
const RELATED = withRelated('dte_patient_merges');

const lockDocumentsStatement = sql(`${RELATED}
  select from dte_documents where clinic_id = $1 and patient_id = any(array(select id from related)) order by id for no key update`);

/** Locks the documents of a patient and of all patients whom merges connect with this one, in the order of ids, as lockDocuments() does. */
export const lockDocumentsOf = (tx: SystemTx, clinicId: string, patientId: string) => execute(tx, lockDocumentsStatement, [clinicId, patientId]);

const listOwnersStatement = sql<{ patient_id: string }>(
  'select distinct patient_id from dte_documents where clinic_id = $1 and id = any($2) and patient_id is not null',
);

/** The patients to whom documents that a merge has moved now belong. */
export const listOwners = (tx: SystemTx, { clinic_id, documents }: MergeRow) => rows(tx, listOwnersStatement, [clinic_id, documents]);

// A profile stays at a merged patient when the other patient has one. The laterals are index lookups.
const listToFollowStatement = sql<{ clinic_id: string; merged_id: string }>(`
  select m.clinic_id, m.merged_id from dte_patient_merges m
  cross join lateral (select from dte_documents d where d.clinic_id = m.clinic_id and d.patient_id = m.merged_id limit 1) found where not m.undone
  union
  select m.clinic_id, m.merged_id from dte_patient_merges m
  join dte_tax_profiles p on p.clinic_id = m.clinic_id and p.patient_id = m.merged_id
  where not m.undone and not exists (select from dte_tax_profiles other where other.clinic_id = m.clinic_id and other.patient_id = m.kept_id)`);

/** Merged patients with documents or a profile that can be moved. */
export const listToFollow = (tx: SystemTx) => rows(tx, listToFollowStatement, []);

const moveStatement = sql<ListedRow>(`
  update dte_documents set patient_id = $3, revision = revision + 1
  where clinic_id = $1 and patient_id = $2 and ($4::uuid[] is null or id = any($4))
  returning ${LISTED_COLUMNS}`);

/** Moves the documents with these ids, or all. */
export const moveDocuments = (tx: SystemTx, clinicId: string, from: string, to: string, ids: string[] | null): Promise<ListedRow[]> =>
  rows(tx, moveStatement, [clinicId, from, to, ids]);

// Earlier releases did not reset the column `profile` of a merge when it was undone.
const listMergesStatement = sql<ProfileMerge>(`${RELATED}
  select merge_id, kept_id, merged_id, undone, profile and (not undone or merge_id = $3::uuid) as profile
  from dte_patient_merges where clinic_id = $1 and kept_id = any(array(select id from related)) order by merge_id`);
const lockProfilesStatement = sql<{ patient_id: string }>(`${RELATED}
  select patient_id from dte_tax_profiles
  where clinic_id = $1 and patient_id = any(array(select id from related)) order by patient_id for update`);

/**
 * The merges of a patient and of all patients whom merges connect with this one, and which of these patients have a profile; the profiles are locked.
 * `undoing`: the merge whose profile is not moved back yet.
 */
export async function lockProfiles(
  tx: SystemTx,
  clinicId: string,
  patientId: string,
  undoing: string | null,
): Promise<{ merges: ProfileMerge[]; holders: string[] }> {
  const [merges, profiles] = await Promise.all([
    rows(tx, listMergesStatement, [clinicId, patientId, undoing]),
    rows(tx, lockProfilesStatement, [clinicId, patientId]),
  ]);
  return { merges, holders: profiles.map(({ patient_id }) => patient_id) };
}

const deleteProfilesStatement = sql<{ patient_id: string; profile_sealed: Buffer }>(`
  delete from dte_tax_profiles where clinic_id = $1 and patient_id = any($2::uuid[]) returning patient_id, profile_sealed`);
const insertProfileStatement = sql('insert into dte_tax_profiles (clinic_id, patient_id, profile_sealed, updated_at) values ($1, $2, $3, $4)');

/** Moves profiles, some of them to patients whose own are moved too. Fails when a request has meanwhile stored a profile there. */
export async function moveProfiles(tx: SystemTx, keys: NamedKey[], clinicId: string, moves: { from: string; to: string }[], now: Date): Promise<void> {
  if (moves.length === 0) return;
  const deleted = await rows(tx, deleteProfilesStatement, [clinicId, moves.map(({ from }) => from)]);
  for (const { patient_id: from, profile_sealed } of deleted) {
    const { to } = moves.find((move) => move.from === from) as { to: string };
    const profile = decryptJson<object>(keys, profile_sealed, profileContext(clinicId, from));
    await execute(tx, insertProfileStatement, [clinicId, to, encryptJson(keys, profile, profileContext(clinicId, to)), now]);
  }
}

const setMovedProfilesStatement = sql(`
  update dte_patient_merges set profile = not profile
  where clinic_id = $1 and merge_id = any($2::uuid[]) and profile <> (merge_id = any($3::uuid[]))`);

/** Records which of these merges have moved a profile. */
export const setMovedProfiles = (tx: SystemTx, clinicId: string, merges: ProfileMerge[], mergeIds: string[]) =>
  execute(tx, setMovedProfilesStatement, [clinicId, merges.map(({ merge_id }) => merge_id), mergeIds]);
