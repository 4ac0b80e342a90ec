// What events have told of patients and visits. Events may repeat and overtake each other: the highest revision wins.

import { timestampDate } from '@bufbuild/protobuf/wkt';
import { execute, type SystemTx, sql } from '@clinic/lib/db/db.ts';
import type { AppointmentState, PatientState } from '@clinic/proto/events/v1/scheduling_pb.js';

const upsertVisitsStatement = sql(`
  insert into recall_visits as seen (clinic_id, appointment_id, patient_id, appointment_date, starts_at, status, revision)
  select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::date[], $5::timestamptz[], $6::text[], $7::int[])
  on conflict (clinic_id, appointment_id) do update set
    patient_id = excluded.patient_id, appointment_date = excluded.appointment_date, starts_at = excluded.starts_at, status = excluded.status,
    revision = excluded.revision
  where excluded.revision > seen.revision`);

/** Each appointment at most once a call. */
export async function upsertAppointments(tx: SystemTx, clinicIds: string[], visits: AppointmentState[]): Promise<void> {
  await execute(tx, upsertVisitsStatement, [
    clinicIds,
    visits.map(({ appointmentId }) => appointmentId),
    visits.map(({ patientId }) => patientId),
    visits.map(({ appointmentDate }) => appointmentDate),
    visits.map(({ startsAt }) => (startsAt ? timestampDate(startsAt) : null)),
    visits.map(({ status }) => status),
    visits.map(({ revision }) => revision),
  ]);
}

const upsertPatientsStatement = sql(`
  insert into recall_patients as seen (clinic_id, patient_id, opted_out, opted_out_at, has_phone, is_archived, revision)
  select clinic_id, patient_id, opted_out, case when opted_out then $7::timestamptz end, has_phone, is_archived, revision
  from unnest($1::uuid[], $2::uuid[], $3::boolean[], $4::boolean[], $5::boolean[], $6::int[])
    as told (clinic_id, patient_id, opted_out, has_phone, is_archived, revision)
  on conflict (clinic_id, patient_id) do update set
    opted_out = excluded.opted_out,
    opted_out_at = case when excluded.opted_out then coalesce(seen.opted_out_at, excluded.opted_out_at) end,
    has_phone = excluded.has_phone, is_archived = excluded.is_archived, revision = excluded.revision
  where excluded.revision > seen.revision`);

/** Each patient at most once a call. */
export async function upsertPatients(tx: SystemTx, clinicIds: string[], patients: PatientState[], now: Date): Promise<void> {
  await execute(tx, upsertPatientsStatement, [
    clinicIds,
    patients.map(({ patientId }) => patientId),
    patients.map(({ recallOptedOut }) => recallOptedOut),
    patients.map(({ hasPhone }) => hasPhone),
    patients.map(({ isArchived }) => isArchived),
    patients.map(({ revision }) => revision),
    now,
  ]);
}
