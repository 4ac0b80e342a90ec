// Appointments, prescriptions, signed forms, files and clinical notes of a patient, by time.
import { type Db, readTenant, sql } from '@clinic/lib/db/db.ts';
import { type TimelineAfter, type TimelineRow, timelinePage } from '@clinic/lib/formats/timeline.ts';
import { recordsOf } from '../patient-records/records.sql.ts';

const listStatement = sql<TimelineRow>(
  timelinePage(`
  select a.starts_at as at, 'appointment' as kind, a.id, concat_ws(', ', d.full_name, t.name) as title, a.status, null::bigint as amount_cents
  from appointments a join doctors d on d.clinic_id = a.clinic_id and d.id = a.doctor_id
  left join appointment_types t on t.clinic_id = a.clinic_id and t.id = a.type_id
  where a.clinic_id = $1 and a.patient_id = any($2)
  union all
  select r.created_at, 'prescription', r.id, left(concat('N.º ', r.number, ': ', (select string_agg(i->>'drug', ', ') from jsonb_array_elements(r.items) i)), 100), null, null
  from prescriptions r where r.clinic_id = $1 and r.patient_id = any($2)
  union all
  select f.stored_at, 'file', f.id, f.name, null, null from patient_files f
  where f.clinic_id = $1 and f.patient_id = any($2) and f.stored_at is not null
    and not exists (select from forms g where g.clinic_id = $1 and g.patient_id = f.patient_id and g.file_id = f.id)
  union all
  select g.signed_at, 'form', g.id, t.title, null, null from forms g
  join form_templates t on t.clinic_id = g.clinic_id and t.id = g.template_id and t.version = g.template_version
  where g.clinic_id = $1 and g.patient_id = any($2) and g.signed_at is not null
  union all
  select n.created_at, 'note', n.id, left(n.text, 100), null, null from clinical_notes n
  where n.clinic_id = $1 and n.patient_id = any($2) and n.amends is null`),
);

export const listEntries = (db: Db, clinicId: string, patientIds: string[], { before, beforeId, limit }: TimelineAfter) =>
  readTenant(db, clinicId, listStatement, [clinicId, patientIds, before, beforeId, limit]);

const recordsStatement = sql<{ id: string; phone: string | null }>(`
  select r.id, r.phone from patients r where r.clinic_id = $1 and r.id = any(${recordsOf('$1', '$2')})`);

/** The patient's record and those merged into it. Empty when the clinic has no such patient. */
export const listRecords = (db: Db, clinicId: string, patientId: string) => readTenant(db, clinicId, recordsStatement, [clinicId, patientId]);
