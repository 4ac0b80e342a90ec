// The little that other services may know of appointments.
import { sql } from '@clinic/lib/db/db.ts';

/** $1 clinic, $2 appointment. */
export const lookUpAppointmentStatement = sql<{ patient_id: string; status: string; starts_at: Date; revision: number; updated_at: Date }>(`
  select patient_id, status, starts_at, revision, updated_at from appointments where clinic_id = $1 and id = $2`);

/** $1 clinic and $2 id of the last row of the page before, $3 limit. */
export const pageAppointmentStatesStatement = sql<{
  clinic_id: string;
  id: string;
  doctor_id: string;
  patient_id: string;
  appointment_date: string;
  starts_at: Date;
  status: string;
  source: string;
  revision: number;
}>(`
  select clinic_id, id, doctor_id, patient_id, appointment_date, starts_at, status, source, revision from appointments
  where (clinic_id, id) > ($1, $2) order by clinic_id, id limit $3`);
