// Changes an appointment that is locked. Each change increases its revision.
import { getRow, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import { type AppointmentRow, COLUMNS } from './appointment-row.ts';
import type { NewAppointment } from './appointments.sql.ts';

type StatusChange = Pick<AppointmentRow, 'status' | 'cancelled_at' | 'completed_at' | 'cancellation_reason' | 'late_cancellation'>;
type Stored = Pick<AppointmentRow, 'patient_id' | 'patient_confirmed_at' | 'revision' | 'updated_at'>;

const setStatusStatement = sql<Stored>(`
  update appointments set status = $3, cancelled_at = $4, completed_at = $5, cancellation_reason = $6, updated_at = $7, revision = revision + 1,
    late_cancellation = $8, patient_confirmed_at = case when $3 <> 'cancelled' then patient_confirmed_at end
  where clinic_id = $1 and id = $2
  returning patient_id, patient_confirmed_at, revision, updated_at`);

/** Returns the appointment after the change. Violates the constraint appointments_no_overlap when the slot is taken. */
export async function setStatus<A extends AppointmentRow>(tx: TenantTx, before: A, change: StatusChange, now: Date): Promise<A> {
  const { status, cancelled_at, completed_at, cancellation_reason, late_cancellation } = change;
  const values = [tx.clinicId, before.id, status, cancelled_at, completed_at, cancellation_reason, now, late_cancellation];
  const stored = await getRow(tx, setStatusStatement, values);
  return { ...before, status, cancelled_at, completed_at, cancellation_reason, late_cancellation, ...stored };
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
    patient_confirmed_at = case when starts_at = $7 and doctor_id = $3 then patient_confirmed_at end, updated_at = $9, revision = revision + 1, duration_minutes = $10, resource_id = $11,
    series_date = null
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
