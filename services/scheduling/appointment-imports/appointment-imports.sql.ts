// Reads and writes the patients, doctors and appointments of a batch of rows.
import { execute, getRow, rows, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import { type AppointmentRow, type AppointmentState, STATE_COLUMNS } from '../appointments/appointment-row.ts';
import { FAMILY_ORDER } from '../patients/sql/patients.sql.ts';
import type { Candidate, PatientRef } from './patient-ref.ts';

const CANDIDATE = 'p.id, p.phone, p.search_name, p.guardian_id, p.dui_index, p.birth_date, p.merged_into';

// Each condition is a read of its own, since the last one has no index. Then the patients into whom the found records were merged, and dependants.
// Phones and ids are read one by one, by index: without statistics, as after a clinic's first import, PostgreSQL would compare each with all patients.
const candidatesStatement = sql<Candidate>(`
  with found as (
    select p.id, p.merged_into from unnest($2::text[]) as given (phone)
    cross join lateral (select id, merged_into from patients where clinic_id = $1 and phone = given.phone limit 1) p
    union all select p.id, p.merged_into from patients p where p.clinic_id = $1 and p.dui_index = any($3)
    union all select p.id, p.merged_into from patients p where p.clinic_id = $1 and (p.search_name, p.birth_date) in (select * from unnest($4::text[], $5::date[]))
  ), owners as (select coalesce(merged_into, id) as id from found)
  select ${CANDIDATE} from (select id from found union select id from owners) record
  cross join lateral (select * from patients where clinic_id = $1 and id = record.id and erased_at is null limit 1) p
  union select ${CANDIDATE} from patients p where p.clinic_id = $1 and p.erased_at is null and p.guardian_id = any(array(select id from owners))`);

/** The records that may be the patients of some rows. `duiIndexes` are the values that the column dui_index may have for their DUIs. */
export function listCandidates(tx: TenantTx, refs: PatientRef[], duiIndexes: Buffer[]): Promise<Candidate[]> {
  const named = refs.filter(({ phone, dui }) => !phone && !dui);
  return rows(tx, candidatesStatement, [
    tx.clinicId,
    refs.flatMap(({ phone }) => phone ?? []),
    duiIndexes,
    named.map(({ search_name }) => search_name),
    named.map(({ birth_date }) => birth_date),
  ]);
}

const mergedStatement = sql<{ id: string; merged_into: string }>(
  'select id, merged_into from patients where clinic_id = $1 and merged_into = any($2) order by id',
);

/** The records that were merged into some patients. */
export const listMergedRecords = (tx: TenantTx, patientIds: string[]) => rows(tx, mergedStatement, [tx.clinicId, patientIds]);

const lockPatientsStatement = sql<{ id: string }>(`
  select id from patients where clinic_id = $1 and id = any($2) and merged_into is null and erased_at is null ${FAMILY_ORDER} for no key update`);

/** Locks patients, who can then be neither merged nor erased before the transaction ends. Omits those who already were. */
export const lockPatients = (tx: TenantTx, ids: string[]) => rows(tx, lockPatientsStatement, [tx.clinicId, ids]);

export type Doctor = { id: string; full_name: string; consultation_duration_minutes: number; buffer_time_minutes: number };
const doctorsStatement = sql<Doctor>('select id, full_name, consultation_duration_minutes, buffer_time_minutes from doctors where clinic_id = $1');

/** All doctors, inactive ones too. */
export const listDoctors = (tx: TenantTx) => rows(tx, doctorsStatement, [tx.clinicId]);

export type Type = { id: string; name: string; duration_minutes: number };
const typesStatement = sql<Type>('select id, name, duration_minutes from appointment_types where clinic_id = $1 and is_active');

export const listTypes = (tx: TenantTx) => rows(tx, typesStatement, [tx.clinicId]);

const TIMES = ['appointment_date', 'start_time', 'end_time', 'starts_at', 'ends_at', 'busy_until'] as const;
/** The columns of the parameters $2 to $15, in order. */
const COLUMNS = ['id', 'doctor_id', 'patient_id', ...TIMES, 'status', 'notes', 'idempotency_key', 'type_id', 'duration_minutes'] as const;

export type PastAppointment = Pick<AppointmentRow, Exclude<(typeof COLUMNS)[number], 'status'>> & { status: 'completed' | 'no_show' | 'cancelled' };

// An appointment of the same patient and doctor at the same time is the same one, whoever entered it.
const GIVEN = `unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::date[], $6::time[], $7::time[], $8::timestamptz[], $9::timestamptz[], $10::timestamptz[],
  $11::text[], $12::text[], $13::text[], $14::uuid[], $15::int[])
  as given (id, doctor_id, patient_id, appointment_date, start_time, end_time, starts_at, ends_at, busy_until, status, notes, idempotency_key, type_id,
    duration_minutes)
  where not exists (select from appointments a where a.clinic_id = $1 and a.patient_id = given.patient_id and a.starts_at = given.starts_at and a.doctor_id = given.doctor_id)`;

const insertStatement = sql<AppointmentState>(`
  insert into appointments (clinic_id, id, doctor_id, patient_id, appointment_date, start_time, end_time, starts_at, busy, status, source, notes, idempotency_key,
    type_id, duration_minutes, completed_at, cancelled_at, created_at, updated_at)
  select $1, id, doctor_id, patient_id, appointment_date, start_time, end_time, starts_at, tstzrange(starts_at, busy_until), status, 'manual', notes, idempotency_key,
    type_id, duration_minutes, case when status = 'completed' then ends_at end, case when status = 'cancelled' then starts_at end, $16, $16
  from ${GIVEN}
  on conflict on constraint appointments_idempotency_key_unique do nothing
  returning ${STATE_COLUMNS}`);

/** Inserts the appointments that the clinic does not have yet, not even by a concurrent import, and returns them. */
export const insertPastAppointments = (tx: TenantTx, appointments: PastAppointment[], now: Date) =>
  rows(tx, insertStatement, [...values(tx, appointments), now]);

const countNewStatement = sql<{ count: number }>(`
  select count(*)::int as count from ${GIVEN} and not exists (select from appointments a where a.clinic_id = $1 and a.idempotency_key = given.idempotency_key)`);

/** How many insertPastAppointments would insert. */
export const countNewAppointments = async (tx: TenantTx, appointments: PastAppointment[]) =>
  (await getRow(tx, countNewStatement, values(tx, appointments))).count;

const values = (tx: TenantTx, appointments: PastAppointment[]) => [tx.clinicId, ...COLUMNS.map((column) => appointments.map((one) => one[column]))];

const addNoShowsStatement = sql(`
  update patients p set no_show_count = p.no_show_count + missed.count, updated_at = $3
  from (select id, count(*)::int as count from unnest($2::uuid[]) as given (id) group by id) missed where p.clinic_id = $1 and p.id = missed.id`);

/** Adds one no-show for each id; an id may occur several times. The patients must be locked. */
export const addNoShows = (tx: TenantTx, patientIds: string[], now: Date) => execute(tx, addNoShowsStatement, [tx.clinicId, patientIds, now]);
