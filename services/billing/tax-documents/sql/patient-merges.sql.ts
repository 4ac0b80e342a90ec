// Moves tax documents and profiles from one patient to another. As the system, because event consumers call it.
import type { NamedKey } from '@clinic/lib/config/config.ts';
import { execute, rows, type SystemTx, sql } from '@clinic/lib/db/db.ts';
import { mergesIn, type StoredMerge } from '@clinic/lib/merges/merges.sql.ts';
import { withRelated } from '@clinic/lib/merges/related.sql.ts';
import { decryptJson, encryptJson, profileContext } from '../encrypted-columns.ts';
import type { ProfileMerge } from '../rules/profile-places.ts';
import { LISTED_COLUMNS, type ListedRow } from './documents.sql.ts';

/** `documents`: the ids of the documents that it moved. */
export type MergeRow = StoredMerge & { documents: string[] };

export const { lockMerges, insertMerge, findMergeOf, remainingId, setUndone, addMoved, removeMoved } = mergesIn(
  { table: 'dte_patient_merges', lock: 'billing patient merges', columns: ['documents'] },
  (text) => sql(text),
);

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
