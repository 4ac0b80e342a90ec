// Appointments. An exclusion constraint lets only one of several concurrent bookings of a slot succeed.
import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { type Db, execute, getRow, readSystem, readTenant, row, rows, type Statement, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import { readPage } from '@clinic/lib/db/read-page.ts';
import { addDays } from '@clinic/lib/formats/local-date.ts';
import { toTimestamp } from '@clinic/lib/formats/timestamp.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import type { AppointmentStateSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import type { AppointmentSchema } from '@clinic/proto/scheduling/v1/appointment_pb.js';
import { type AlertRow, alertsOf, toProto as toAlert } from '../medical-alerts/medical-alerts.sql.ts';
import { ENDS_AT } from '../slots/ends-at.sql.ts';
import type { SOURCES } from './status-rules.ts';

export type AppointmentRow = {
  clinic_id: string;
  id: string;
  doctor_id: string;
  patient_id: string;
  appointment_date: string;
  start_time: string;
  end_time: string;
  starts_at: Date;
  /** Without the buffer. */
  ends_at: Date;
  /** With the buffer. */
  busy_until: Date;
  status: string;
  source: string;
  notes: string | null;
  idempotency_key: string;
  cancellation_reason: string | null;
  cancelled_at: Date | null;
  /** Cancelled by the patient inside the notice of the policy. */
  late_cancellation: boolean;
  completed_at: Date | null;
  checked_in_at: Date | null;
  /** When the patient confirmed that they will attend at the current time of the appointment. */
  patient_confirmed_at: Date | null;
  revision: number;
  created_at: Date;
  updated_at: Date;
  type_id: string | null;
  /** The length that the type or the request sets; null: that of the doctor's consultation. */
  duration_minutes: number | null;
  resource_id: string | null;
  series_id: string | null;
};

export type EmbeddedRow = AppointmentRow & {
  patient_name: string;
  patient_phone: string | null;
  /** The phone of a person who booked online without proving it and is not a patient yet. */
  requested_phone: string | null;
  doctor_name: string;
  doctor_specialty: string | null;
  type_name: string | null;
  type_color: string | null;
  resource_name: string | null;
  resource_kind: string | null;
  /** Alerts of the patient, the most severe first. */
  alerts: AlertRow[];
};

export function toProto(appointment: EmbeddedRow): MessageInitShape<typeof AppointmentSchema> {
  return {
    id: appointment.id,
    clinicId: appointment.clinic_id,
    doctorId: appointment.doctor_id,
    patientId: appointment.patient_id,
    appointmentDate: appointment.appointment_date,
    startTime: appointment.start_time,
    endTime: appointment.end_time,
    startsAt: timestampFromDate(appointment.starts_at),
    endsAt: timestampFromDate(appointment.ends_at),
    status: appointment.status,
    source: appointment.source,
    notes: appointment.notes ?? undefined,
    idempotencyKey: appointment.idempotency_key,
    cancellationReason: appointment.cancellation_reason ?? undefined,
    lateCancellation: appointment.late_cancellation,
    cancelledAt: toTimestamp(appointment.cancelled_at),
    completedAt: toTimestamp(appointment.completed_at),
    checkedInAt: toTimestamp(appointment.checked_in_at),
    patientConfirmedAt: toTimestamp(appointment.patient_confirmed_at),
    requestedPhone: appointment.requested_phone ?? undefined,
    createdAt: timestampFromDate(appointment.created_at),
    updatedAt: timestampFromDate(appointment.updated_at),
    patients: { id: appointment.patient_id, fullName: appointment.patient_name, phone: appointment.patient_phone ?? undefined },
    doctors: { id: appointment.doctor_id, fullName: appointment.doctor_name, specialty: appointment.doctor_specialty ?? undefined },
    durationMinutes: appointment.duration_minutes ?? undefined,
    ...toRefs(appointment),
    seriesId: appointment.series_id ?? undefined,
    alerts: appointment.alerts.map(toAlert),
  };
}

export type RefRow = Pick<EmbeddedRow, 'type_id' | 'type_name' | 'type_color' | 'resource_id' | 'resource_name' | 'resource_kind'>;

/** The type, and the chair or room. */
export const toRefs = (row: RefRow) => ({
  appointmentTypes: row.type_id ? { id: row.type_id, name: row.type_name ?? '', color: row.type_color ?? '' } : undefined,
  resources: row.resource_id ? { id: row.resource_id, name: row.resource_name ?? '', kind: row.resource_kind ?? '' } : undefined,
});

export type AppointmentState = Pick<
  AppointmentRow,
  'id' | 'doctor_id' | 'patient_id' | 'appointment_date' | 'starts_at' | 'status' | 'source' | 'revision' | 'updated_at'
>;

/** The appointment as events carry it. */
export function toState(appointment: AppointmentState, timezone: string): MessageInitShape<typeof AppointmentStateSchema> {
  return {
    appointmentId: appointment.id,
    doctorId: appointment.doctor_id,
    patientId: appointment.patient_id,
    appointmentDate: appointment.appointment_date,
    startsAt: timestampFromDate(appointment.starts_at),
    status: appointment.status,
    source: appointment.source,
    timezone,
    revision: appointment.revision,
    changedAt: timestampFromDate(appointment.updated_at),
  };
}

/** Names of the type and the resource of the row `a`. */
export const REFS = 't.name as type_name, t.color as type_color, r.name as resource_name, r.kind as resource_kind';
export const REF_JOINS = `left join appointment_types t on t.clinic_id = a.clinic_id and t.id = a.type_id
  left join resources r on r.clinic_id = a.clinic_id and r.id = a.resource_id`;

const COLUMNS = `a.clinic_id, a.id, a.doctor_id, a.patient_id, a.appointment_date, a.start_time, a.end_time, a.starts_at, ${ENDS_AT} as ends_at, upper(a.busy) as busy_until, a.status,
  a.source, a.notes, a.idempotency_key, a.cancellation_reason, a.cancelled_at, a.late_cancellation, a.patient_confirmed_at, a.completed_at, a.checked_in_at, a.revision, a.created_at, a.updated_at,
  a.type_id, a.duration_minutes, a.resource_id, a.series_id`;
const EMBEDDED = `${COLUMNS}, p.full_name as patient_name, p.phone as patient_phone, p.claimed_phone as requested_phone, d.full_name as doctor_name,
  d.specialty as doctor_specialty, ${REFS},
  ${alertsOf('a.clinic_id', 'a.patient_id')}`;
const JOINS = `join patients p on p.clinic_id = a.clinic_id and p.id = a.patient_id
  join doctors d on d.clinic_id = a.clinic_id and d.id = a.doctor_id ${REF_JOINS}`;

type RefNames = Pick<EmbeddedRow, 'type_name' | 'type_color' | 'resource_name' | 'resource_kind'>;
const NO_REFS: RefNames = { type_name: null, type_color: null, resource_name: null, resource_kind: null };
const findRefsStatement = sql<RefNames>(`select ${REFS} from (select $1::uuid as clinic_id, $2::uuid as type_id, $3::uuid as resource_id) a ${REF_JOINS}`);

/** The names of the type and the resource of an appointment. */
export async function findRefs(tx: TenantTx, { type_id, resource_id }: Pick<NewAppointment, 'type_id' | 'resource_id'>): Promise<RefNames> {
  if (!type_id && !resource_id) return NO_REFS;
  return (await row(tx, findRefsStatement, [tx.clinicId, type_id ?? null, resource_id ?? null])) ?? NO_REFS;
}

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

const findStatement = sql<EmbeddedRow>(`select ${EMBEDDED} from appointments a ${JOINS} where a.clinic_id = $1 and a.id = $2`);

/** Undefined also when `id` is not a UUID. */
export const findAppointment = async (db: Db, clinicId: string, id: string) =>
  isUuid(id) ? (await readTenant(db, clinicId, findStatement, [clinicId, id]))[0] : undefined;

export const readAppointment = (tx: TenantTx, id: string) => row(tx, findStatement, [tx.clinicId, id]);

const findContactStatement = sql<{ without_phone: boolean; booking_email: string | null }>(`
  select coalesce(p.phone, g.phone) is null as without_phone,
    (select b.email from booking_requests b where b.clinic_id = a.clinic_id and b.appointment_id = a.id limit 1) as booking_email
  from appointments a join patients p on p.clinic_id = a.clinic_id and p.id = a.patient_id
    left join patients g on g.clinic_id = p.clinic_id and g.id = p.guardian_id
  where a.clinic_id = $1 and a.id = $2`);

/** Whether neither the patient nor a guardian has a phone, and the e-mail address that an online booking named. */
export async function findContact(db: Db, clinicId: string, id: string) {
  const [contact] = await readTenant(db, clinicId, findContactStatement, [clinicId, id]);
  return { withoutPhone: contact?.without_phone ?? false, bookingEmail: contact?.booking_email ?? undefined };
}

// Without the joins of the response, because a booking rarely repeats an earlier one.
const findByKeyStatement = sql<{ id: string; request_hash: Buffer | null }>(
  'select id, request_hash from appointments where clinic_id = $1 and idempotency_key = $2',
);

export const findByIdempotencyKey = (tx: TenantTx, key: string) => row(tx, findByKeyStatement, [tx.clinicId, key]);

const listUpcomingStatement = sql<EmbeddedRow>(`
  with owner as (select coalesce(merged_into, id) as id from patients where clinic_id = $1 and phone = $2)
  select ${EMBEDDED} from appointments a ${JOINS}
  where a.clinic_id = $1 and a.starts_at > $3 and a.status in ('confirmed', 'pending') and a.patient_id in (
    select id from owner union all select c.id from owner o join patients c on c.clinic_id = $1 and c.guardian_id = o.id)
  order by a.starts_at, a.id limit $4`);

/** Upcoming appointments of the patient who has the phone, or whose merged record has it, and of the patient's dependants. */
export const listUpcoming = (db: Db, clinicId: string, phone: string, now: Date, limit: number) =>
  readTenant(db, clinicId, listUpcomingStatement, [clinicId, phone, now, limit]);

const pageStatesStatement = sql<AppointmentState & { clinic_id: string }>(`
  select clinic_id, id, doctor_id, patient_id, appointment_date, starts_at, status, source, revision, updated_at from appointments
  where (clinic_id, id) > ($1, $2) order by clinic_id, id limit $3`);

/** Appointments of all clinics by clinic and id, as the system. `page` comes from toKeysetPage. */
export const pageAppointmentStates = (db: Db, page: [string, string, number]) => readSystem(db, pageStatesStatement, page);

export type PolicyRow = { notice_hours: number; text: string | null; no_show_limit: number };

const findPolicyStatement = sql<PolicyRow>(`
  select coalesce(t.cancellation_notice_hours, c.cancellation_notice_hours) as notice_hours, coalesce(t.cancellation_text, c.cancellation_text) as text,
    c.booking_no_show_limit as no_show_limit
  from clinics c left join appointment_types t on t.clinic_id = c.clinic_id and t.id = $2 where c.clinic_id = $1`);

/** The cancellation policy and the no-show limit for appointments of a type, or of none. */
export const findPolicy = async (tx: TenantTx, typeId: string | null) =>
  (await row(tx, findPolicyStatement, [tx.clinicId, typeId])) ?? { notice_hours: 0, text: null, no_show_limit: 0 };

const lockStatement = sql('select from appointments where clinic_id = $1 and id = $2 for update');

// Locked first, then read: after waiting for a merge, the appointment must be joined with the patient who remains.
/** Undefined also when `id` is not a UUID. */
export async function lockAppointment(tx: TenantTx, id: string): Promise<EmbeddedRow | undefined> {
  if (!isUuid(id)) return undefined;
  const [, found] = await Promise.all([execute(tx, lockStatement, [tx.clinicId, id]), row(tx, findStatement, [tx.clinicId, id])]);
  return found;
}

const UPCOMING = "a.clinic_id = $1 and a.series_id = $2 and a.appointment_date >= $3 and a.starts_at > $4 and a.status in ('confirmed', 'pending')";
const lockUpcomingStatement = sql(`select from appointments a where ${UPCOMING} order by a.id for update`);
const findUpcomingStatement = sql<EmbeddedRow>(`select ${EMBEDDED} from appointments a ${JOINS} where ${UPCOMING} order by a.starts_at, a.id`);

/** The upcoming appointments of a series from a date on, by start, locked. */
export async function lockUpcomingOfSeries(tx: TenantTx, seriesId: string, from: string, now: Date): Promise<EmbeddedRow[]> {
  const values = [tx.clinicId, seriesId, from, now];
  const [, found] = await Promise.all([execute(tx, lockUpcomingStatement, values), rows(tx, findUpcomingStatement, values)]);
  return found;
}

const setStatusStatement = sql<AppointmentRow>(`
  update appointments a set status = $3, cancelled_at = $4, completed_at = $5, cancellation_reason = $6, updated_at = $7, revision = revision + 1,
    late_cancellation = $8, patient_confirmed_at = case when $3 <> 'cancelled' then patient_confirmed_at end
  where clinic_id = $1 and id = $2
  returning ${COLUMNS}`);

type StatusChange = Pick<AppointmentRow, 'status' | 'cancelled_at' | 'completed_at' | 'cancellation_reason' | 'late_cancellation'>;

/** Violates the constraint appointments_no_overlap when the slot is taken. */
export async function setStatus(tx: TenantTx, id: string, change: StatusChange, now: Date): Promise<AppointmentRow> {
  const { status, cancelled_at, completed_at, cancellation_reason, late_cancellation } = change;
  const values = [tx.clinicId, id, status, cancelled_at, completed_at, cancellation_reason, now, late_cancellation];
  return getRow(tx, setStatusStatement, values);
}

const setPatientStatement = sql<AppointmentRow>(`
  update appointments a set patient_id = $3, updated_at = $4, revision = revision + 1 where clinic_id = $1 and id = $2
  returning ${COLUMNS}`);

export const setPatient = (tx: TenantTx, id: string, patientId: string, now: Date) => getRow(tx, setPatientStatement, [tx.clinicId, id, patientId, now]);

const setDetailsStatement = sql<AppointmentRow>(`
  update appointments a set notes = $3, updated_at = $4, type_id = $5, resource_id = $6, revision = revision + 1 where clinic_id = $1 and id = $2
  returning ${COLUMNS}`);

type Details = Pick<AppointmentRow, 'notes' | 'type_id' | 'resource_id'>;

/** Violates the constraint appointments_resource_no_overlap when the resource is taken. */
export const setDetails = (tx: TenantTx, id: string, { notes, type_id, resource_id }: Details, now: Date) =>
  getRow(tx, setDetailsStatement, [tx.clinicId, id, notes, now, type_id, resource_id]);

const moveStatement = sql<AppointmentRow>(`
  update appointments a set doctor_id = $3, appointment_date = $4, start_time = $5, end_time = $6, starts_at = $7, busy = tstzrange($7, $8),
    checked_in_at = case when appointment_date = $4 then checked_in_at end,
    patient_confirmed_at = case when starts_at = $7 and doctor_id = $3 then patient_confirmed_at end, updated_at = $9, revision = revision + 1, duration_minutes = $10, resource_id = $11
  where clinic_id = $1 and id = $2
  returning ${COLUMNS}`);

type Move = Pick<
  NewAppointment,
  'doctor_id' | 'appointment_date' | 'start_time' | 'end_time' | 'starts_at' | 'busy_until' | 'duration_minutes' | 'resource_id'
>;

/** Violates the constraint appointments_no_overlap when the slot is taken. */
export async function moveAppointment(tx: TenantTx, id: string, to: Move, now: Date): Promise<AppointmentRow> {
  const { doctor_id, appointment_date, start_time, end_time, starts_at, busy_until, duration_minutes, resource_id } = to;
  const values = [tx.clinicId, id, doctor_id, appointment_date, start_time, end_time, starts_at, busy_until, now, duration_minutes, resource_id];
  return getRow(tx, moveStatement, values);
}

const checkInStatement = sql<AppointmentRow>(`
  update appointments a set checked_in_at = $3, updated_at = $3, revision = revision + 1 where clinic_id = $1 and id = $2
  returning ${COLUMNS}`);

export const setCheckedIn = (tx: TenantTx, id: string, now: Date) => getRow(tx, checkInStatement, [tx.clinicId, id, now]);

const confirmByPatientStatement = sql<AppointmentRow>(`
  update appointments a set patient_confirmed_at = $3, updated_at = $3, revision = revision + 1 where clinic_id = $1 and id = $2
  returning ${COLUMNS}`);

export const setPatientConfirmed = (tx: TenantTx, id: string, now: Date) => getRow(tx, confirmByPatientStatement, [tx.clinicId, id, now]);

/** The comparison for each field of a filter. */
const COMPARISONS = {
  date: 'a.appointment_date =',
  start: 'a.appointment_date >=',
  end: 'a.appointment_date <=',
  status: 'a.status =',
  doctorId: 'a.doctor_id =',
  source: 'a.source =',
  patientId: 'a.patient_id =',
  typeId: 'a.type_id =',
  resourceId: 'a.resource_id =',
  seriesId: 'a.series_id =',
  updatedSince: 'a.updated_at >=',
};
const COMPARED = Object.keys(COMPARISONS) as (keyof typeof COMPARISONS)[];

type AppointmentFilter = { [K in keyof typeof COMPARISONS]?: string | Date | undefined } & {
  /** Only upcoming appointments that do not begin at their local time in this zone, the clinic's. */
  notAtLocalTimeOf?: { zone: string; now: Date } | undefined;
};

/** By start, or the latest first. */
type Sort = 'start' | '-start';
export const SORTS: readonly Sort[] = ['start', '-start'];

const pages = new Map<string, Statement<EmbeddedRow & { total: number }>>();

export function listAppointments(db: Db, clinicId: string, filter: AppointmentFilter, limit: number, offset: number, sort: Sort) {
  const { statement, values } = appointmentsPage(clinicId, filter, limit, offset, sort);
  return readPage(db, clinicId, statement, values);
}

/** Each combination of filters is a statement with a plan of its own. Also run by benchmarks. */
export function appointmentsPage(clinicId: string, filter: AppointmentFilter, limit: number, offset: number, sort: Sort = 'start') {
  const conditions: [string, unknown][] = [];
  for (const field of COMPARED) if (filter[field] !== undefined) conditions.push([COMPARISONS[field], filter[field]]);
  if (filter.notAtLocalTimeOf) {
    const { zone, now } = filter.notAtLocalTimeOf;
    conditions.push(['a.appointment_date >=', addDays(now.toISOString().slice(0, 10), -1)]); // so that the index on the date is used
    conditions.push(['a.starts_at >', now]);
    conditions.push([`a.status in ('confirmed', 'pending') and a.appointment_date + a.start_time <> a.starts_at at time zone`, zone]);
  }
  const where = ['a.clinic_id = $1', ...conditions.map(([comparison], index) => `${comparison} $${index + 4}`)].join(' and ');
  const direction = sort === 'start' ? 'asc' : 'desc';
  const order = ['appointment_date', 'start_time', 'id'].map((column) => `a.${column} ${direction}`).join(', ');
  const name = `${where} order by ${order}`;
  const statement =
    pages.get(name) ??
    sql<EmbeddedRow & { total: number }>(`
    select counted.total, page.* from (select count(*)::int as total from appointments a where ${where}) counted
    left join lateral (
      select ${EMBEDDED} from appointments a ${JOINS} where ${where} order by ${order} limit $2 offset $3
    ) page on true`);
  pages.set(name, statement);
  return { statement, values: [clinicId, limit, offset, ...conditions.map(([, value]) => value)] };
}

const countChatBookingsStatement = sql<{ count: number }>(`
  select count(*)::int as count from appointments where clinic_id = $1 and source = 'chat' and created_at >= $2`);

export const countChatBookings = async (db: Db, clinicId: string, since: Date) =>
  (await readTenant(db, clinicId, countChatBookingsStatement, [clinicId, since]))[0]?.count ?? 0;
