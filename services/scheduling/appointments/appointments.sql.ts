// Adds, finds and locks appointments. An exclusion constraint lets only one of several concurrent bookings of a slot succeed.
import { type Db, execute, readSystem, readTenant, row, rows, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type MissingForm, missingFormsOf } from '../forms/forms.sql.ts';
import { type AppointmentRow, type AppointmentState, COLUMNS, EMBEDDED, type EmbeddedRow, JOINS, REF_JOINS, REFS, STATE_COLUMNS } from './appointment-row.ts';
import type { SOURCES } from './status-rules.ts';

// With `on conflict` the insert is speculative: concurrent bookings of one slot wait for each other without a deadlock, and all but one insert no row.
const insertStatement = sql<AppointmentRow>(`
  insert into appointments as a (clinic_id, id, doctor_id, patient_id, appointment_date, start_time, end_time, starts_at, busy, status, source, notes,
    idempotency_key, request_hash, created_at, updated_at, type_id, duration_minutes, resource_id, series_id)
  values ($1, $2, $3, $4, $5, $6, $7, $8, tstzrange($8, $9), $19, $10, $11, $12, $13, $14, $14, $15, $16, $17, $18)
  on conflict on constraint appointments_no_overlap do nothing
  returning ${COLUMNS}`);

/** The columns of the parameters $2 to $12, in order. */
const INSERTED = [
  'id',
  'doctor_id',
  'patient_id',
  'appointment_date',
  'start_time',
  'end_time',
  'starts_at',
  'busy_until',
  'source',
  'notes',
  'idempotency_key',
] as const;

export type NewAppointment = Omit<Pick<AppointmentRow, (typeof INSERTED)[number]>, 'source'> & {
  source: (typeof SOURCES)[number];
  /** confirmed by default. */
  status?: 'confirmed' | 'pending' | undefined;
  /** The hash of a request with an Idempotency-Key. */
  request_hash?: Buffer | undefined;
} & Partial<Pick<AppointmentRow, 'type_id' | 'duration_minutes' | 'resource_id' | 'series_id'>>;

/** Undefined when the slot is taken. */
export function insertAppointment(tx: TenantTx, appointment: NewAppointment, now: Date): Promise<AppointmentRow | undefined> {
  const { request_hash, type_id, duration_minutes, resource_id, series_id, status = 'confirmed' } = appointment;
  const inserted = INSERTED.map((column) => appointment[column]);
  return row(tx, insertStatement, [tx.clinicId, ...inserted, request_hash, now, type_id, duration_minutes, resource_id, series_id, status]);
}

type RefNames = Pick<EmbeddedRow, 'type_name' | 'type_color' | 'resource_name' | 'resource_kind'>;
const NO_REFS: RefNames = { type_name: null, type_color: null, resource_name: null, resource_kind: null };
const findRefsStatement = sql<RefNames>(`select ${REFS} from (select $1::uuid as clinic_id, $2::uuid as type_id, $3::uuid as resource_id) a ${REF_JOINS}`);

/** The names of the type and the resource of an appointment. */
export async function findRefs(tx: TenantTx, { type_id, resource_id }: Pick<NewAppointment, 'type_id' | 'resource_id'>): Promise<RefNames> {
  if (!type_id && !resource_id) return NO_REFS;
  return (await row(tx, findRefsStatement, [tx.clinicId, type_id ?? null, resource_id ?? null])) ?? NO_REFS;
}

const findStatement = sql<EmbeddedRow>(`select ${EMBEDDED} from appointments a ${JOINS} where a.clinic_id = $1 and a.id = $2`);

/** Undefined also when `id` is not a UUID. */
export const findAppointment = async (db: Db, clinicId: string, id: string) =>
  isUuid(id) ? (await readTenant(db, clinicId, findStatement, [clinicId, id]))[0] : undefined;

export const findAppointmentIn = (tx: TenantTx, id: string) => row(tx, findStatement, [tx.clinicId, id]);

const lockStatement = sql('select from appointments where clinic_id = $1 and id = $2 for update');

// Locked first, then read: after waiting for a merge, the appointment must be joined with the patient who remains.
/** Undefined also when `id` is not a UUID. */
export async function lockAppointment(tx: TenantTx, id: string): Promise<EmbeddedRow | undefined> {
  if (!isUuid(id)) return undefined;
  const [, found] = await Promise.all([execute(tx, lockStatement, [tx.clinicId, id]), row(tx, findStatement, [tx.clinicId, id])]);
  return found;
}

const UPCOMING = "a.clinic_id = $1 and a.series_id = $2 and a.appointment_date >= $3 and a.starts_at > $4 and a.status in ('confirmed', 'pending')";
const lockUpcomingStatement = sql<{ id: string }>(`select a.id from appointments a where ${UPCOMING} order by a.id for update`);
const listLockedStatement = sql<RowOfSeries>(`
  select ${EMBEDDED}, a.series_date from appointments a ${JOINS} where a.clinic_id = $1 and a.id = any($2) order by a.starts_at, a.id`);

/** With the date to which the latest move of the series would have moved it, if it was refused. */
export type RowOfSeries = EmbeddedRow & { series_date: string | null };

/**
 * The upcoming appointments of a series from a date on, by start, locked. Not those that were confirmed again or moved while the statement waited for the
 * locks of others: locking them after these would be out of order.
 */
export async function lockUpcomingOfSeries(tx: TenantTx, seriesId: string, from: string, now: Date): Promise<RowOfSeries[]> {
  const locked = await rows(tx, lockUpcomingStatement, [tx.clinicId, seriesId, from, now]);
  return rows(tx, listLockedStatement, [tx.clinicId, locked.map(({ id }) => id)]);
}

// Without the joins of the response, because a booking rarely repeats an earlier one.
const findByKeyStatement = sql<{ id: string; request_hash: Buffer | null }>(
  'select id, request_hash from appointments where clinic_id = $1 and idempotency_key = $2',
);

export const findByIdempotencyKey = (tx: TenantTx, key: string) => row(tx, findByKeyStatement, [tx.clinicId, key]);

type WithContactRow = Pick<
  EmbeddedRow,
  | 'id'
  | 'patient_id'
  | 'status'
  | 'starts_at'
  | 'appointment_date'
  | 'start_time'
  | 'notes'
  | 'series_id'
  | 'revision'
  | 'updated_at'
  | 'doctor_name'
  | 'patient_name'
> & {
  /** Of the patient, or else of the guardian. */
  reachable_phone: string | null;
  reachable_email: string | null;
  /** The address that an online booking named. */
  booking_email: string | null;
  missing_forms: MissingForm[];
};

const findWithContactStatement = sql<WithContactRow>(`
  select a.id, a.patient_id, a.status, a.starts_at, a.appointment_date, a.start_time, a.notes, a.series_id, a.revision, a.updated_at,
    d.full_name as doctor_name, p.full_name as patient_name, coalesce(p.phone, g.phone) as reachable_phone, coalesce(p.email, g.email) as reachable_email,
    (select b.email from booking_requests b where b.clinic_id = a.clinic_id and b.appointment_id = a.id limit 1) as booking_email, ${missingFormsOf('a')}
  from appointments a join doctors d on d.clinic_id = a.clinic_id and d.id = a.doctor_id
    join patients p on p.clinic_id = a.clinic_id and p.id = a.patient_id
    left join patients g on g.clinic_id = p.clinic_id and g.id = p.guardian_id
  where a.clinic_id = $1 and a.id = $2`);

/** The appointment and how to reach its patient. Undefined also when `id` is not a UUID. */
export const findWithContact = async (db: Db, clinicId: string, id: string) =>
  isUuid(id) ? (await readTenant(db, clinicId, findWithContactStatement, [clinicId, id]))[0] : undefined;

const pageStatesStatement = sql<AppointmentState & { clinic_id: string }>(`
  select clinic_id, ${STATE_COLUMNS} from appointments
  where (clinic_id, id) > ($1, $2) order by clinic_id, id limit $3`);

/** Appointments of all clinics by clinic and id, as the system. `page` comes from toKeysetPage. */
export const pageAppointmentStates = (db: Db, page: [string, string, number]) => readSystem(db, pageStatesStatement, page);
