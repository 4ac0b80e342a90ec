// Patients. The DUI is encrypted with the key ring and found by its blind index.
import type { MessageInitShape } from '@bufbuild/protobuf';
import { type Db, execute, getRow, row, rows, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import { qualified } from '@clinic/lib/db/qualified.ts';
import { readPage } from '@clinic/lib/db/read-page.ts';
import type { Page } from '@clinic/lib/formats/page.ts';
import { toFields } from '@clinic/lib/formats/to-fields.ts';
import type { PatientStateSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import { type AlertRow, alertsOf, toProto as toAlert } from '../../medical-alerts/medical-alerts.sql.ts';

export type PatientRow = {
  clinic_id: string;
  id: string;
  full_name: string;
  phone: string | null;
  dui_sealed: Buffer | null;
  dui_verified: boolean | null;
  email: string | null;
  birth_date: string | null;
  gender: string | null;
  address: string | null;
  notes: string | null;
  no_show_count: number;
  late_cancellation_count: number;
  recall_opted_out: boolean;
  guardian_id: string | null;
  archived_at: Date | null;
  /** The patient into whom this record was merged. A merged record is also archived. */
  merged_into: string | null;
  /** Incremented by a trigger with each change. */
  revision: number;
  created_at: Date;
  updated_at: Date;
  /** Active dependants, by name. */
  dependants: { id: string; full_name: string }[];
  /** The most severe first. */
  alerts: AlertRow[];
};

/** A patient without what only the patient's own record shows. */
export type BookedPatient = Omit<PatientRow, 'dependants' | 'late_cancellation_count'>;

/** Fields whose values never appear in the audit log, which only records that they changed. */
export const PERSONAL_FIELDS = ['full_name', 'search_name', 'phone', 'dui_sealed', 'email', 'birth_date', 'gender', 'address', 'notes', 'dependants', 'alerts'];

/** `dui` is whole or masked, as the reader may see it. */
export const toProto = (patient: PatientRow, dui: string | null) => ({
  ...toFields(patient),
  dui: dui ?? undefined,
  dependants: patient.dependants.map(toFields),
  alerts: patient.alerts.map(toAlert),
});

export type PatientState = Pick<PatientRow, 'id' | 'phone' | 'guardian_id' | 'recall_opted_out' | 'archived_at' | 'revision'>;

/** Of a PatientState. */
export const STATE_COLUMNS = 'id, phone, guardian_id, recall_opted_out, archived_at, revision';

/** The patient as events carry it. */
export function toState(patient: PatientState): MessageInitShape<typeof PatientStateSchema> {
  return {
    patientId: patient.id,
    recallOptedOut: patient.recall_opted_out,
    hasPhone: patient.phone !== null || patient.guardian_id !== null, // a guardian has one
    isArchived: patient.archived_at !== null,
    revision: patient.revision,
  };
}

const NAMES = `clinic_id, id, full_name, phone, dui_sealed, dui_verified, email, birth_date, gender, address, notes, no_show_count,
  recall_opted_out, guardian_id, archived_at, merged_into, revision, created_at, updated_at`;
/** What a merge takes over into the empty fields of the remaining patient, apart from the DUI, which is encrypted for its row. */
export const DETAILS = ['email', 'birth_date', 'gender', 'address', 'notes'] as const;
export const DETAIL_COLUMNS = DETAILS.join(', ');
/** SQL: the details of `remaining`, of which those of `merged` fill the empty ones. */
export const filledDetails = (remaining: string, merged: string) => DETAILS.map((field) => `coalesce(${remaining}.${field}, ${merged}.${field})`).join(', ');
/** The columns of a PatientRow that the table has, qualified by its name or alias. */
export const ownColumnsOf = (table: string) => qualified(NAMES, table);
/** The columns of a BookedPatient. */
export const bookedColumnsOf = (table: string) => `${ownColumnsOf(table)}, ${alertsOf(`${table}.clinic_id`, `${table}.id`)}`;
/** All columns of a PatientRow. */
export const columnsOf = (table: string) => `${bookedColumnsOf(table)},
  (select coalesce(json_agg(json_build_object('id', d.id, 'full_name', d.full_name) order by d.search_name, d.id), '[]') from patients d
    where d.clinic_id = ${table}.clinic_id and d.guardian_id = ${table}.id and d.archived_at is null) as dependants,
  (select count(*)::int from appointments l where l.clinic_id = ${table}.clinic_id and l.patient_id = ${table}.id and l.late_cancellation) as late_cancellation_count`;
const COLUMNS = columnsOf('patients');
const BOOKED = bookedColumnsOf('patients');

const UNERASED = 'from patients where clinic_id = $1 and id = $2 and erased_at is null';
const findStatement = sql<PatientRow>(`select ${COLUMNS} from patients where clinic_id = $1 and id = $2`);

export const findPatient = (tx: TenantTx, id: string) => row(tx, findStatement, [tx.clinicId, id]);

const lockStatement = sql(`select ${UNERASED} for update`);
const findUnerasedStatement = sql<PatientRow>(`select ${COLUMNS} ${UNERASED}`);

/** Undefined when the patient is unknown or erased. */
export async function lockPatient(tx: TenantTx, id: string): Promise<PatientRow | undefined> {
  const values = [tx.clinicId, id];
  // Locked first, then read: after waiting for a dependant who is being added, one statement would not see the dependant.
  const [, found] = await Promise.all([execute(tx, lockStatement, values), row(tx, findUnerasedStatement, values)]);
  return found;
}

const keyShareStatement = sql<BookedPatient>(`select ${BOOKED} ${UNERASED} for key share`);

/** The patient, whose row others can change but not delete before the transaction ends. Undefined when the patient is unknown or erased. */
export const lockPatientKey = (tx: TenantTx, id: string) => row(tx, keyShareStatement, [tx.clinicId, id]);

const lockBookedStatement = sql<BookedPatient>(`select ${BOOKED} ${UNERASED} for no key update`);

/**
 * As lockPatientKey(), but two bookings of a patient wait for each other, and so in one queue with a merge of the patient. Transactions that share the key
 * do not wait while others have it, so that with one booking after the other a merge would never get the row.
 */
export const lockBookedPatient = (tx: TenantTx, id: string) => row(tx, lockBookedStatement, [tx.clinicId, id]);

const DEPENDANTS = 'from patients where clinic_id = $1 and guardian_id = $2 and archived_at is null';
const listDependantsStatement = sql<PatientRow & { total: number }>(`
  select counted.total, page.* from (select count(*)::int as total ${DEPENDANTS}) counted
  left join lateral (select ${COLUMNS} ${DEPENDANTS} order by search_name, id limit $3 offset $4) page on true`);

export const listDependants = (db: Db, clinicId: string, guardianId: string, { limit, offset }: Page) =>
  readPage(db, clinicId, listDependantsStatement, [clinicId, guardianId, limit, offset]);

export type EncryptedDui = { ciphertext: Buffer; index: Buffer; verified: boolean };

export type Named = { full_name: string; search_name: string };
export type PatientFields = Named & Pick<PatientRow, 'phone' | 'email' | 'birth_date' | 'gender' | 'address' | 'notes'>;

/** Messages about a dependant go to the guardian's phone, so the guardian's opt-out of recall messages applies to them too. The argument is SQL. */
export const isGuardianOptedOut = (guardianId: string) =>
  `exists (select from patients g where g.clinic_id = $1 and g.id = ${guardianId}::uuid and g.recall_opted_out)`;

const insertStatement = sql<PatientRow>(`
  insert into patients (clinic_id, id, full_name, search_name, phone, email, birth_date, gender, address, notes, dui_sealed, dui_index, dui_verified,
    guardian_id, recall_opted_out)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, ${isGuardianOptedOut('$14')})
  returning ${COLUMNS}`);

/** A patient without a phone needs a guardian. */
export async function insertPatient(tx: TenantTx, id: string, patient: PatientFields, dui: EncryptedDui | null, guardianId?: string): Promise<PatientRow> {
  const { full_name, search_name, phone, email, birth_date, gender, address, notes } = patient;
  const fields = [full_name, search_name, phone, email, birth_date, gender, address, notes, dui?.ciphertext, dui?.index, dui?.verified];
  return getRow(tx, insertStatement, [tx.clinicId, id, ...fields, guardianId]);
}

const updateStatement = sql<PatientRow>(`
  update patients set full_name = $3, search_name = $4, phone = $5, email = $6, birth_date = $7, gender = $8, address = $9, notes = $10, updated_at = $11,
    recall_opted_out = recall_opted_out or (phone is not null and $5::text is null and ${isGuardianOptedOut('patients.guardian_id')}),
    dui_sealed = case when $12 then $13 else dui_sealed end, dui_index = case when $12 then $14 else dui_index end,
    dui_verified = case when $12 then $15 else dui_verified end
  where clinic_id = $1 and id = $2
  returning ${COLUMNS}`);

/**
 * An undefined DUI remains, null clears it. All in one statement: after a second update of the row in one transaction, PostgreSQL checks the foreign key
 * again and locks the guardian, whom others lock before the dependant.
 */
export function updatePatient(
  tx: TenantTx,
  id: string,
  patient: PatientFields,
  dui: EncryptedDui | null | undefined,
  now: Date,
): Promise<PatientRow | undefined> {
  const { full_name, search_name, phone, email, birth_date, gender, address, notes } = patient;
  const fields = [full_name, search_name, phone, email, birth_date, gender, address, notes, now];
  return row(tx, updateStatement, [tx.clinicId, id, ...fields, dui !== undefined, dui?.ciphertext, dui?.index, dui?.verified]);
}

/** SQL: the record belongs to an online request that the desk has not confirmed, has only a phone that nobody has proven, and is no patient yet. */
export const ONLY_CLAIMED = 'claimed_phone is not null and phone is null and merged_into is null';

const setArchivedStatement = sql<PatientRow>(`
  update patients set archived_at = $3, updated_at = $4
  where clinic_id = $1 and id = $2 and not ($3::timestamptz is null and ${ONLY_CLAIMED})
  returning ${COLUMNS}`);

/** Null restores the patient, who must be locked. Undefined when the record cannot be restored, because it has only a claimed phone. */
export const setArchivedAt = (tx: TenantTx, id: string, archivedAt: Date | null, now: Date) =>
  row(tx, setArchivedStatement, [tx.clinicId, id, archivedAt, now]);

/** The patient who has the phone $2; for a merged record, the patient who remains. */
export const OWNER_OF_PHONE = 'select coalesce(merged_into, id) as id from patients where clinic_id = $1 and phone = $2';
const findOwnerStatement = sql<{ id: string }>(OWNER_OF_PHONE);
const lockByPhoneStatement = sql<BookedPatient>(`select ${BOOKED} from patients where clinic_id = $1 and id = (${OWNER_OF_PHONE}) for no key update`);

/**
 * The patient who had the phone when the statement began; for a merged record, the patient who remains. The merged record is not locked, since merges
 * lock the two in the order of their ids.
 */
export const lockPatientByPhone = (tx: TenantTx, phone: string) => row(tx, lockByPhoneStatement, [tx.clinicId, phone]);

/** The id of the patient who has the phone; for a merged record, of the patient who remains. */
export const findIdByPhone = async (tx: TenantTx, phone: string) => (await row(tx, findOwnerStatement, [tx.clinicId, phone]))?.id;

const insertByPhoneStatement = sql<BookedPatient>(`
  insert into patients (clinic_id, id, full_name, search_name, phone, dui_sealed, dui_index, dui_verified) values ($1, $2, $3, $4, $5, $6, $7, $8)
  on conflict on constraint patients_phone_unique do nothing
  returning ${BOOKED}`);

/** Undefined when a patient has the phone. */
export const insertPatientByPhone = (tx: TenantTx, id: string, { full_name, search_name }: Named, phone: string, dui: EncryptedDui | null) =>
  row(tx, insertByPhoneStatement, [tx.clinicId, id, full_name, search_name, phone, dui?.ciphertext, dui?.index, dui?.verified]);

const changeBookedStatement = sql<BookedPatient>(`
  update patients k set full_name = coalesce($3, k.full_name), search_name = coalesce($4, k.search_name), archived_at = null, updated_at = $5,
    dui_sealed = coalesce($6, k.dui_sealed), dui_index = coalesce($7, k.dui_index), dui_verified = coalesce($8, k.dui_verified),
    (${DETAIL_COLUMNS}) = (${filledDetails('k', 'c')})
  from (select $9::uuid as id) filling left join patients c on c.clinic_id = $1 and c.id = filling.id
  where k.clinic_id = $1 and k.id = $2 and ($6::bytea is not null or (k.full_name, k.archived_at, ${qualified(DETAIL_COLUMNS, 'k')})
    is distinct from (coalesce($3, k.full_name), null::timestamptz, ${filledDetails('k', 'c')}))
  returning ${bookedColumnsOf('k')}`);

/** `fillFrom` is the id of the record whose details fill the empty ones of the patient. */
export type BookedChange = { name: Named | undefined; dui: EncryptedDui | null; fillFrom: string | undefined };

/** Changes the patient of a booking, who is also restored. Undefined when nothing changed. All in one statement, as in updatePatient(). */
export const changeBookedPatient = (tx: TenantTx, id: string, { name, dui, fillFrom }: BookedChange, now: Date) =>
  row(tx, changeBookedStatement, [tx.clinicId, id, name?.full_name, name?.search_name, now, dui?.ciphertext, dui?.index, dui?.verified, fillFrom]);

const findDependantStatement = sql<BookedPatient>(`
  select ${BOOKED} from patients where clinic_id = $1 and guardian_id = $2 and search_name = $3 and merged_into is null
  order by archived_at is not null, id limit 1 for key share`);

/** The dependant of this name, in any case and with or without accents; an archived one when no other has it. The row is locked as by lockPatientKey. */
export const findDependantNamed = (tx: TenantTx, guardianId: string, searchName: string) =>
  row(tx, findDependantStatement, [tx.clinicId, guardianId, searchName]);

/** SQL: how many guardians are above the row of `patients`: its guardian, the guardian of that one, and so on. $1 is the clinic. */
const GENERATION = `case when patients.guardian_id is null then 0 else (
    with recursive above (id) as (
      select patients.guardian_id union select g.guardian_id from above join patients g on g.clinic_id = $1 and g.id = above.id where g.guardian_id is not null)
    select count(*) from above) end`;
/**
 * The order in which several records of a family are locked: guardians before their dependants, as a booking by phone does. A dependant with a phone may
 * be the guardian of others.
 */
export const FAMILY_ORDER = `order by ${GENERATION}, id`;

/** The dependants who are reached through the phone of the patient $2. */
const REACHED_DEPENDANTS = 'clinic_id = $1 and guardian_id = $2 and phone is null and merged_into is null';
/** $1 clinic, $2 the patient, and $3 whether also the dependants. */
const REACHED = `clinic_id = $1 and id in (select $2::uuid union all select id from patients where $3 and ${REACHED_DEPENDANTS})`;
// `for update`: a dependant who is being added is waited for, or waits and is added with the guardian's opt-out.
const lockReachedStatement = sql<Pick<PatientRow, 'id' | 'merged_into'>>(`select id, merged_into from patients where ${REACHED} ${FAMILY_ORDER} for update`);
const savepointStatement = sql('savepoint reached');
const releaseStatement = sql('rollback to savepoint reached');
const ownerStatement = sql<{ id: string }>('select coalesce(merged_into, id) as id from patients where clinic_id = $1 and id = $2 and erased_at is null');

/**
 * Locks those whom a change of the opt-out by the id of a patient concerns. Returns the id of the patient; for a merged record, of the patient who remains.
 * Undefined when the patient is unknown or erased.
 */
export async function lockReached(tx: TenantTx, id: string, withDependants: boolean): Promise<string | undefined> {
  await execute(tx, savepointStatement);
  for (;;) {
    const owner = await row(tx, ownerStatement, [tx.clinicId, id]);
    if (!owner) return undefined;
    const locked = await rows(tx, lockReachedStatement, [tx.clinicId, owner.id, withDependants]);
    if (!locked.some((one) => one.id === owner.id && one.merged_into !== null)) return owner.id;
    // Merged while the statement waited for the lock. The locks are released, because the remaining patient is locked before the dependants.
    await execute(tx, releaseStatement);
  }
}

const optOutStatement = sql<PatientRow>(`
  update patients set recall_opted_out = $4, updated_at = $5 where ${REACHED} and recall_opted_out <> $4 returning ${COLUMNS}`);

/** After lockReached(). Returns those who changed: the patient and, with `withDependants`, the dependants who are reached through the patient's phone. */
export const setRecallOptedOut = (tx: TenantTx, id: string, optedOut: boolean, withDependants: boolean, now: Date) =>
  rows(tx, optOutStatement, [tx.clinicId, id, withDependants, optedOut, now]);

const optOutDependantsStatement = sql<PatientRow>(`
  update patients set recall_opted_out = true, updated_at = $3 where ${REACHED_DEPENDANTS} and not recall_opted_out returning ${COLUMNS}`);

/** Opts out the dependants who are reached through the phone of the guardian, and returns those who changed. */
export const setDependantsOptedOut = (tx: TenantTx, guardianId: string, now: Date) => rows(tx, optOutDependantsStatement, [tx.clinicId, guardianId, now]);

const changeNoShowStatement = sql('update patients set no_show_count = greatest(no_show_count + $3, 0), updated_at = $4 where clinic_id = $1 and id = $2');

export const changeNoShowCount = (tx: TenantTx, id: string, by: 1 | -1, now: Date) => execute(tx, changeNoShowStatement, [tx.clinicId, id, by, now]);
