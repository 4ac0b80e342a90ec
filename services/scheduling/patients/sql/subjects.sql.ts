// A patient as a data subject: the ids, phones, names and e-mail addresses of all records that were merged.
import { type Db, readTenant, rows, type SystemTx, sql } from '@clinic/lib/db/db.ts';
import { columnsOf, type PatientRow } from './patients.sql.ts';

type SubjectRow = { id: string; full_name: string; phone: string | null; emails: string[]; erased: boolean; upcoming: number; dependants: number };

const COLUMNS = `p.id, p.full_name, p.phone,
    array(select p.email where p.email is not null union
      select b.email from appointments a join booking_requests b on b.clinic_id = $1 and b.appointment_id = a.id
      where a.clinic_id = $1 and a.patient_id = p.id and b.email is not null) as emails,
    p.erased_at is not null as erased,
    (select count(*)::int from appointments a where a.clinic_id = $1 and a.patient_id = p.id and a.starts_at > $3 and a.status in ('confirmed', 'pending'))
      as upcoming,
    (select count(*)::int from patients d where d.clinic_id = $1 and d.guardian_id = p.id) as dependants`;

const findStatement = sql<SubjectRow>(`
  with recursive root (id) as (
    select id from patients where clinic_id = $1 and id = $2
    union select p.merged_into from root r join patients p on p.clinic_id = $1 and p.id = r.id where p.merged_into is not null
  ), record (id) as (
    select id from root
    union select p.id from record r join patients p on p.clinic_id = $1 and p.merged_into = r.id
  )
  select ${COLUMNS}
  from record r join patients p on p.clinic_id = $1 and p.id = r.id order by p.id <> $2, p.id`);

/**
 * The patient first, then all records of the same person: those that were merged into it, directly or through others, and, when it
 * was merged into another, that one with all of its records.
 */
export const listRecordsOf = (db: Db, clinicId: string, patientId: string, now: Date) => readTenant(db, clinicId, findStatement, [clinicId, patientId, now]);

const claimsStatement = sql<SubjectRow>(`
  select ${COLUMNS} from patients p
  where p.clinic_id = $1 and p.claimed_phone = any($2::text[]) and p.phone is null and p.merged_into is null and p.erased_at is null order by p.id`);

/** The records of online bookings that gave one of the phones without proving it, which the desk has not confirmed or completed, nor given a phone. */
export const listClaimsOf = (db: Db, clinicId: string, phones: string[], now: Date) => readTenant(db, clinicId, claimsStatement, [clinicId, phones, now]);

const erasedStatement = sql<PatientRow>(`select ${columnsOf('patients')} from patients where clinic_id = $1 and id = any($2::uuid[])`);

export const listErased = (tx: SystemTx, clinicId: string, ids: string[]) => rows(tx, erasedStatement, [clinicId, ids]);
