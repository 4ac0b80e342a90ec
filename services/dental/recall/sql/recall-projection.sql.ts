// Recall's projection of patients and appointments, from events. Events may arrive twice and out of order: the
// row with the highest revision is stored.
import { execute, type SystemTx, sql } from '@clinic/lib/db/db.ts';
import { toDate } from '@clinic/lib/formats/timestamp.ts';
import type { AppointmentState, PatientState } from '@clinic/proto/events/v1/scheduling_pb.js';

const upsertAppointmentsStatement = sql(`
  insert into recall_visits as known (clinic_id, appointment_id, patient_id, appointment_date, starts_at, status, revision)
  select distinct on (clinic_id, appointment_id) *
  from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::date[], $5::timestamptz[], $6::text[], $7::int[])
    as given (clinic_id, appointment_id, patient_id, appointment_date, starts_at, status, revision)
  order by clinic_id, appointment_id, revision desc
  on conflict (clinic_id, appointment_id) do update set
    patient_id = excluded.patient_id, appointment_date = excluded.appointment_date, starts_at = excluded.starts_at, status = excluded.status,
    revision = excluded.revision
  where excluded.revision > known.revision`);

/** `clinicIds[i]` is the clinic of `appointments[i]`. */
export async function upsertAppointments(tx: SystemTx, clinicIds: string[], appointments: AppointmentState[]): Promise<void> {
  const column = <K extends keyof AppointmentState>(field: K) => appointments.map((appointment) => appointment[field]);
  const starts = column('startsAt').map(toDate);
  const values = [column('appointmentId'), column('patientId'), column('appointmentDate'), starts, column('status'), column('revision')];
  await execute(tx, upsertAppointmentsStatement, [clinicIds, ...values]);
}

const upsertPatientsStatement = sql(`
  insert into recall_patients as known (clinic_id, patient_id, opted_out, opted_out_at, has_phone, is_archived, revision)
  select clinic_id, patient_id, opted_out, case when opted_out then $7::timestamptz end, has_phone, is_archived, revision
  from unnest($1::uuid[], $2::uuid[], $3::boolean[], $4::boolean[], $5::boolean[], $6::int[])
    as given (clinic_id, patient_id, opted_out, has_phone, is_archived, revision)
  on conflict (clinic_id, patient_id) do update set
    opted_out = excluded.opted_out,
    opted_out_at = case when excluded.opted_out then coalesce(known.opted_out_at, excluded.opted_out_at) end,
    has_phone = excluded.has_phone, is_archived = excluded.is_archived, revision = excluded.revision
  where excluded.revision > known.revision`);

/** `clinicIds[i]` is the clinic of `patients[i]`; each patient at most once per call. */
export async function upsertPatients(tx: SystemTx, clinicIds: string[], patients: PatientState[], now: Date): Promise<void> {
  const fields = ['patientId', 'recallOptedOut', 'hasPhone', 'isArchived', 'revision'] as const;
  await execute(tx, upsertPatientsStatement, [clinicIds, ...fields.map((field) => patients.map((patient) => patient[field])), now]);
}
