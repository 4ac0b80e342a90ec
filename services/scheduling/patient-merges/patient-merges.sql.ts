// Merges of patients: which rows moved, and the statements that move them to the remaining patient and back.
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { type Db, execute, getRow, row, rows, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import { readPage } from '@clinic/lib/db/read-page.ts';
import type { Page } from '@clinic/lib/formats/page.ts';
import { toFields } from '@clinic/lib/formats/to-fields.ts';
import { STATE_COLUMNS as APPOINTMENT_STATE, type AppointmentState } from '../appointments/appointment-row.ts';
import { lockComplete } from '../appointments/lock-complete.ts';
import {
  columnsOf,
  DETAIL_COLUMNS,
  type EncryptedDui,
  FAMILY_ORDER,
  filledDetails,
  isGuardianOptedOut,
  type PatientRow,
} from '../patients/sql/patients.sql.ts';
import { STATE_COLUMNS as ENTRY_STATE, type EntryState } from '../waitlist/waitlist-entries.sql.ts';
import type { Filled } from './merge-rules.ts';

const UNDO_DAYS = 30;
const DAY_MS = 86_400_000;

export type MergeRow = {
  id: string;
  kept_id: string;
  merged_id: string;
  appointments: string[];
  waitlist_entries: string[];
  dependants: string[];
  aliases: string[];
  filled: Filled[];
  missed: number;
  was_archived_at: Date | null;
  created_at: Date;
  undone_at: Date | null;
};

export const undoUntil = (merge: MergeRow) => new Date(merge.created_at.getTime() + UNDO_DAYS * DAY_MS);

export const toMerge = (merge: MergeRow) => ({
  ...toFields(merge),
  moved: { appointments: merge.appointments.length, waitlistEntries: merge.waitlist_entries.length, dependants: merge.dependants.length },
  filledFields: merge.filled,
  undoUntil: timestampFromDate(undoUntil(merge)),
});

const COLUMNS = 'id, kept_id, merged_id, appointments, waitlist_entries, dependants, aliases, filled, missed, was_archived_at, created_at, undone_at';

const insertStatement = sql(`
  insert into patient_merges (clinic_id, ${COLUMNS}) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, null)`);

export async function insertMerge(tx: TenantTx, merge: Omit<MergeRow, 'undone_at'>): Promise<void> {
  const { id, kept_id, merged_id, appointments, waitlist_entries, dependants, aliases, filled, missed, was_archived_at, created_at } = merge;
  const moved = [appointments, waitlist_entries, dependants, aliases];
  await execute(tx, insertStatement, [tx.clinicId, id, kept_id, merged_id, ...moved, filled, missed, was_archived_at, created_at]);
}

const findActiveStatement = sql<MergeRow>(`
  select ${COLUMNS} from patient_merges where clinic_id = $1 and kept_id = $2 and merged_id = $3 and undone_at is null`);

/** The merge of these two patients that was not undone. */
export const findActiveMerge = (tx: TenantTx, keptId: string, mergedId: string) => row(tx, findActiveStatement, [tx.clinicId, keptId, mergedId]);

const findStatement = sql<MergeRow>(`select ${COLUMNS} from patient_merges where clinic_id = $1 and id = $2`);

export const findMerge = (tx: TenantTx, id: string) => row(tx, findStatement, [tx.clinicId, id]);

const setUndoneStatement = sql<MergeRow>(`
  update patient_merges set undone_at = $3 where clinic_id = $1 and id = $2 and undone_at is null returning ${COLUMNS}`);

/** Undefined when the merge was undone before. */
export const setUndone = (tx: TenantTx, id: string, now: Date) => row(tx, setUndoneStatement, [tx.clinicId, id, now]);

const LISTED = 'from patient_merges where clinic_id = $1 and created_at > $2 and ($3::uuid is null or $3 in (kept_id, merged_id))';
const listStatement = sql<MergeRow & { total: number }>(`
  select counted.total, page.* from (select count(*)::int as total ${LISTED}) counted
  left join lateral (select ${COLUMNS} ${LISTED} order by created_at desc, id desc limit $4 offset $5) page on true`);

/** Merges of the last 30 days, of one patient or of all, undone ones included, newest first. */
export const listMerges = (db: Db, clinicId: string, patientId: string | null, { limit, offset }: Page, now: Date) =>
  readPage(db, clinicId, listStatement, [clinicId, new Date(now.getTime() - UNDO_DAYS * DAY_MS), patientId, limit, offset]);

const lockAppointmentsStatement = sql<{ id: string }>(`
  select id from appointments where clinic_id = $1 and patient_id = any($2) order by id for update`);
const lockEntriesStatement = sql<{ id: string }>(`
  select id from waitlist_entries where clinic_id = $1 and patient_id = any($2) order by id for update`);
// What was added before the patients were locked is locked without waiting, which would be out of order. Rarely is one of them locked by others already.
// To lock all rows again takes longer than the next booking, so that a merge would not end while bookings of a patient follow each other.
const others = (table: string, known: string) => `from ${table} where clinic_id = $1 and patient_id = any($2) and id <> all(${known})`;
const lockOthersStatement = sql<{ complete: boolean }>(`
  with locked as (select ${others('appointments', '$3')} for update skip locked), locked_entries as (select ${others('waitlist_entries', '$4')} for update skip locked)
  select (select count(*) from locked) = (select count(*) ${others('appointments', '$3')})
    and (select count(*) from locked_entries) = (select count(*) ${others('waitlist_entries', '$4')}) as complete`);
const lockPatientsStatement = sql(`
  select from patients where clinic_id = $1 and (id = any($2) or guardian_id = any($2) or merged_into = any($2)) ${FAMILY_ORDER} for update`);
const findPairStatement = sql<Comparable>(`
  select ${columnsOf('patients')}, dui_index from patients where clinic_id = $1 and id = any($2) and erased_at is null`);

type Comparable = PatientRow & { dui_index: Buffer | null };

/** The patients by id, without those who are unknown or erased. */
export const findPair = async (tx: TenantTx, ids: string[]) =>
  new Map((await rows(tx, findPairStatement, [tx.clinicId, ids])).map((patient) => [patient.id, patient]));

// Two merges could lock the same patients in different orders, since the first one changes the guardians that determine the order.
const lockMergesStatement = sql(`select pg_advisory_xact_lock(hashtextextended('patient merges ' || $1::text, 0))`);
const limitWaitsStatement = sql<{ set_config: string }>(`select set_config('lock_timeout', $1, true)`);
/** Shorter than deadlock_timeout, so that a deadlock ends this attempt instead of the transaction of a booking. */
const WAIT = '300ms';
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Locks two patients with their appointments, waitlist entries, dependants and merged records. Returns the patients as findPair() does. All transactions
 * that lock several of these rows lock them in this order:
 * 1. appointments, by id
 * 2. calendars of doctors, by id, then chairs and rooms
 * 3. waitlist offers, then waitlist entries
 * 4. the record of an online request, before the patient who has the phone; a merge of the record locks its appointment before
 * 5. patients, guardians before their dependants, then by id (FAMILY_ORDER)
 *
 * A transaction must not update a patient twice: with the second update PostgreSQL checks the foreign key again, and locks the guardian after the
 * dependant. The order of patients is not complete: a transaction that waits for a patient who is merged meanwhile, or whose merge is undone, then
 * locks the other record too. So a merge that waits for a patient for long releases its locks, and tries again: it has not written anything yet.
 */
export async function lockPair(tx: TenantTx, ids: string[]) {
  await execute(tx, lockMergesStatement, [tx.clinicId]);
  await lockComplete(tx, () => tryLockPair(tx, ids));
  return findPair(tx, ids);
}

async function tryLockPair(tx: TenantTx, ids: string[]): Promise<boolean> {
  try {
    const [appointments, entries] = await Promise.all([
      rows(tx, lockAppointmentsStatement, [tx.clinicId, ids]),
      rows(tx, lockEntriesStatement, [tx.clinicId, ids]),
      execute(tx, limitWaitsStatement, [WAIT]),
      execute(tx, lockPatientsStatement, [tx.clinicId, ids]),
      execute(tx, limitWaitsStatement, ['0']),
    ]);
    const locked = [appointments, entries].map((some) => some.map(({ id }) => id));
    return (await getRow(tx, lockOthersStatement, [tx.clinicId, ids, ...locked])).complete;
  } catch (error) {
    if ((error as { code?: string }).code !== LOCK_NOT_AVAILABLE) throw error;
    return false;
  }
}

const countStatement = sql<{ appointments: number; waitlist_entries: number; dependants: number }>(`
  select (select count(*)::int from appointments where clinic_id = $1 and patient_id = $2) as appointments,
    (select count(*)::int from waitlist_entries where clinic_id = $1 and patient_id = $2) as waitlist_entries,
    (select count(*)::int from patients where clinic_id = $1 and guardian_id = $2) as dependants`);

export const countRecords = (tx: TenantTx, patientId: string) => getRow(tx, countStatement, [tx.clinicId, patientId]);

const APPOINTMENTS = 'appointments set patient_id = $3, revision = revision + 1, updated_at = $4 where clinic_id = $1 and patient_id = $2';
const ENTRIES = 'waitlist_entries set patient_id = $3, revision = revision + 1, updated_at = $4 where clinic_id = $1 and patient_id = $2';
const dependants = (recallOptedOut: string) =>
  `patients set guardian_id = $3, recall_opted_out = ${recallOptedOut}, updated_at = $4 where clinic_id = $1 and guardian_id = $2 and id <> $3`;
const ALIASES = 'patients set merged_into = $3, updated_at = $4 where clinic_id = $1 and merged_into = $2';

const movesOf = (which: string, recallOptedOut: string) => ({
  appointments: sql<AppointmentState>(`update ${APPOINTMENTS} ${which} returning ${APPOINTMENT_STATE}`),
  entries: sql<EntryState>(`update ${ENTRIES} ${which} returning ${ENTRY_STATE}`),
  dependants: sql<PatientRow>(`update ${dependants(recallOptedOut)} ${which} returning ${columnsOf('patients')}`),
  aliases: sql<{ id: string }>(`update ${ALIASES} ${which} returning id`),
});
const MOVES = movesOf('', `recall_opted_out or ${isGuardianOptedOut('$3')}`);
const MOVES_BACK = movesOf('and id = any($5)', 'recall_opted_out');

/** Moves all rows of one patient to another. */
export async function moveRecords(tx: TenantTx, from: string, to: string, now: Date) {
  const values = [tx.clinicId, from, to, now];
  const [appointments, entries, dependants, aliases] = await Promise.all([
    rows(tx, MOVES.appointments, values),
    rows(tx, MOVES.entries, values),
    rows(tx, MOVES.dependants, values),
    rows(tx, MOVES.aliases, values),
  ]);
  return { appointments, entries, dependants, aliases };
}

/** Moves back the rows that a merge moved and that still belong to the remaining patient. */
export async function moveBack(tx: TenantTx, merge: MergeRow, now: Date) {
  const values = [tx.clinicId, merge.kept_id, merge.merged_id, now];
  const [appointments, entries] = await Promise.all([
    rows(tx, MOVES_BACK.appointments, [...values, merge.appointments]),
    rows(tx, MOVES_BACK.entries, [...values, merge.waitlist_entries]),
    rows(tx, MOVES_BACK.dependants, [...values, merge.dependants]),
    rows(tx, MOVES_BACK.aliases, [...values, merge.aliases]),
  ]);
  return { appointments, entries };
}

// When a guardian is merged into a dependant, the dependant no longer has a guardian, and the merge lists it among the dependants.
const fillStatement = sql<PatientRow>(`
  update patients k set (${DETAIL_COLUMNS}) = (${filledDetails('k', 'm')}), no_show_count = k.no_show_count + m.no_show_count,
    recall_opted_out = k.recall_opted_out or m.recall_opted_out, guardian_id = nullif(k.guardian_id, m.id),
    dui_sealed = coalesce(k.dui_sealed, $4), dui_index = coalesce(k.dui_index, $5), dui_verified = coalesce(k.dui_verified, $6), updated_at = $7
  from patients m where k.clinic_id = $1 and k.id = $2 and m.clinic_id = $1 and m.id = $3
  returning ${columnsOf('k')}`);
const archiveStatement = sql<PatientRow>(`
  update patients set merged_into = $3, archived_at = coalesce(archived_at, $4), updated_at = $4 where clinic_id = $1 and id = $2
  returning ${columnsOf('patients')}`);

/** Fills empty fields of the remaining patient and archives the merged one. */
export const mergeFields = (tx: TenantTx, keptId: string, mergedId: string, dui: EncryptedDui | null, now: Date) =>
  Promise.all([
    getRow(tx, fillStatement, [tx.clinicId, keptId, mergedId, dui?.ciphertext, dui?.index, dui?.verified, now]),
    getRow(tx, archiveStatement, [tx.clinicId, mergedId, keptId, now]),
  ]);

// A field that was taken over is cleared, unless it was changed since. An opt-out of recall messages stays.
const clearStatement = sql<PatientRow>(`
  update patients k set
    email = case when 'email' = any($4) and k.email = m.email then null else k.email end,
    birth_date = case when 'birth_date' = any($4) and k.birth_date = m.birth_date then null else k.birth_date end,
    gender = case when 'gender' = any($4) and k.gender = m.gender then null else k.gender end,
    address = case when 'address' = any($4) and k.address = m.address then null else k.address end,
    notes = case when 'notes' = any($4) and k.notes = m.notes then null else k.notes end,
    dui_sealed = case when 'dui' = any($4) and k.dui_index = m.dui_index then null else k.dui_sealed end,
    dui_verified = case when 'dui' = any($4) and k.dui_index = m.dui_index then null else k.dui_verified end,
    dui_index = case when 'dui' = any($4) and k.dui_index = m.dui_index then null else k.dui_index end,
    guardian_id = case when k.id = any($7) then coalesce(k.guardian_id, m.id) else k.guardian_id end,
    no_show_count = greatest(k.no_show_count - $5, 0), updated_at = $6
  from patients m where k.clinic_id = $1 and k.id = $2 and m.clinic_id = $1 and m.id = $3
  returning ${columnsOf('k')}`);
const restoreStatement = sql<PatientRow>(`
  update patients set merged_into = null, archived_at = $3, no_show_count = $4, updated_at = $5 where clinic_id = $1 and id = $2
  returning ${columnsOf('patients')}`);

/** Undoes mergeFields; `noShows` are those of the merged patient. */
export const unmergeFields = (tx: TenantTx, merge: MergeRow, noShows: number, now: Date) =>
  Promise.all([
    getRow(tx, clearStatement, [tx.clinicId, merge.kept_id, merge.merged_id, merge.filled, noShows, now, merge.dependants]),
    getRow(tx, restoreStatement, [tx.clinicId, merge.merged_id, merge.was_archived_at, noShows, now]),
  ]);
