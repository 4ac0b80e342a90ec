// The little that other services may know of patients and appointments.
import { sql } from '@clinic/lib/db.ts';

/** $1 clinic, $2 patient. An archived patient is found too: treatment and debts outlive the archive. */
export const lookUpPatientStatement = sql<{ id: string; full_name: string; phone: string | null; recall_opted_out: boolean }>(`
  select id, full_name, phone, recall_opted_out from patients where clinic_id = $1 and id = $2`);

/** $1 clinic, $2 appointment. */
export const lookUpAppointmentStatement = sql<{ patient_id: string; status: string; starts_at: Date; revision: number }>(`
  select patient_id, status, starts_at, revision from appointments where clinic_id = $1 and id = $2`);
