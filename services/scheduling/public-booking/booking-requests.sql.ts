// Bookings that patients have begun online.
import { execute, getRow, row, type SystemTx, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import type { State } from './booking-requests-rules.ts';

export type RequestRow = {
  clinic_id: string;
  id: string;
  type_id: string;
  doctor_id: string;
  appointment_date: string;
  start_time: string;
  draft_id: string;
  full_name: string;
  phone: string;
  email: string | null;
  notes: string | null;
  wrong_codes: number;
  state: State;
  appointment_id: string | null;
  created_at: Date;
  expires_at: Date;
};

const COLUMNS = `clinic_id, id, type_id, doctor_id, appointment_date, start_time, draft_id, full_name, phone, email, notes, wrong_codes, state, appointment_id,
  created_at, expires_at`;

const lockCountsStatement = sql("select pg_advisory_xact_lock(hashtextextended('booking requests ' || $1::text, 0))");
const countStatement = sql<Begun>(`
  select count(*) filter (where phone = $3)::int as of_phone, count(*) filter (where email = $4)::int as of_email, count(*)::int as of_clinic
  from booking_requests where clinic_id = $1 and created_at > $2`);

type Begun = { of_phone: number; of_email: number; of_clinic: number };

/** Counts the bookings begun since a time. Other counts of the clinic wait until the transaction ends. The doctor's calendar must be locked before. */
export async function countBegun(tx: TenantTx, { phone, email }: Pick<RequestRow, 'phone' | 'email'>, since: Date): Promise<Begun> {
  const [, counted] = await Promise.all([execute(tx, lockCountsStatement, [tx.clinicId]), getRow(tx, countStatement, [tx.clinicId, since, phone, email])]);
  return counted;
}

const countUnprovenStatement = sql<{ count: number }>(`
  select count(*)::int as count from booking_requests where clinic_id = $1 and created_at > $2 and state = 'requested'`);

/** Counts the appointments with unproven phones since a time, under the same lock as countBegun(). */
export async function countUnproven(tx: TenantTx, since: Date): Promise<number> {
  const [, counted] = await Promise.all([execute(tx, lockCountsStatement, [tx.clinicId]), getRow(tx, countUnprovenStatement, [tx.clinicId, since])]);
  return counted.count;
}

const insertStatement = sql<RequestRow>(`
  insert into booking_requests (clinic_id, id, type_id, doctor_id, appointment_date, start_time, draft_id, full_name, phone, email, notes, state, created_at, expires_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 'new', $12, $13) returning ${COLUMNS}`);

export async function insertRequest(tx: TenantTx, booking: Omit<RequestRow, 'clinic_id' | 'wrong_codes' | 'state' | 'appointment_id'>): Promise<RequestRow> {
  const { id, type_id, doctor_id, appointment_date, start_time, draft_id, full_name, phone, email, notes, created_at, expires_at } = booking;
  const values = [id, type_id, doctor_id, appointment_date, start_time, draft_id, full_name, phone, email, notes, created_at, expires_at];
  return getRow(tx, insertStatement, [tx.clinicId, ...values]);
}

const findStatement = sql<RequestRow>(`select ${COLUMNS} from booking_requests where clinic_id = $1 and id = $2`);
const lockStatement = sql<RequestRow>(`select ${COLUMNS} from booking_requests where clinic_id = $1 and id = $2 for update`);

export const findRequest = (tx: TenantTx, id: string) => row(tx, findStatement, [tx.clinicId, id]);
export const lockRequest = (tx: TenantTx, id: string) => row(tx, lockStatement, [tx.clinicId, id]);

const updateStatement = sql<RequestRow>(`
  update booking_requests set state = $3, wrong_codes = $4, appointment_id = $5 where clinic_id = $1 and id = $2 returning ${COLUMNS}`);

type Changes = Partial<Pick<RequestRow, 'state' | 'wrong_codes' | 'appointment_id'>>;

/** The row must be locked. */
export async function updateRequest(tx: TenantTx, booking: RequestRow, changes: Changes): Promise<RequestRow> {
  const { id, state, wrong_codes, appointment_id } = { ...booking, ...changes };
  return getRow(tx, updateStatement, [tx.clinicId, id, state, wrong_codes, appointment_id]);
}

// The address of a person without a proven phone is stored nowhere else, and the reminder is sent to it.
const deleteOldStatement = sql(`
  delete from booking_requests b where created_at < $1
    and not exists (select from appointments a where a.clinic_id = b.clinic_id and a.id = b.appointment_id and a.starts_at >= $1)`);

/** Those begun before a time, of all clinics; unless their appointment is not before that time. */
export const deleteOldRequests = (tx: SystemTx, before: Date) => execute(tx, deleteOldStatement, [before]);
