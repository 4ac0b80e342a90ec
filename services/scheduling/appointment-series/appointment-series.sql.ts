// Series of appointments. A series has no row of its own.
import { type Db, execute, row, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import { readPage } from '@clinic/lib/db/read-page.ts';
import type { Page } from '@clinic/lib/formats/page.ts';
import { remainingOf } from '../patient-records/records.sql.ts';

const existsStatement = sql<{ found: boolean }>(`select exists (select from appointments where clinic_id = $1 and series_id = $2) as found`);

export const existsSeries = async (tx: TenantTx, id: string) => (await row(tx, existsStatement, [tx.clinicId, id]))?.found === true;

const setDateStatement = sql('update appointments set series_date = nullif($3::date, appointment_date) where clinic_id = $1 and id = $2');

/** Stores the date that an appointment has in its series, although it remains at its own. */
export const setSeriesDate = (tx: TenantTx, id: string, date: string) => execute(tx, setDateStatement, [tx.clinicId, id, date]);

type SeriesRow = {
  id: string;
  patient_id: string;
  patient_name: string;
  patient_phone: string | null;
  count: number;
  remaining: number;
  first_date: string;
  last_date: string;
  next_date: string | null;
};

// $2 a patient, $3 a doctor, $6 now.
const listStatement = sql<SeriesRow & { total: number }>(`
  with series as (
    select a.series_id as id, (array_agg(a.patient_id))[1] as patient_id, count(*)::int as count,
      (count(*) filter (where a.starts_at > $6 and a.status in ('confirmed', 'pending')))::int as remaining,
      min(a.appointment_date) as first_date, max(a.appointment_date) as last_date,
      min(a.appointment_date) filter (where a.starts_at > $6 and a.status in ('confirmed', 'pending')) as next_date
    from appointments a where a.clinic_id = $1 and a.series_id is not null and ($2::uuid is null or a.patient_id = ${remainingOf('$1', '$2')})
    group by a.series_id having $3::uuid is null or bool_or(a.doctor_id = $3))
  select counted.total, page.* from (select count(*)::int as total from series) counted
  left join lateral (
    select s.id, s.patient_id, p.full_name as patient_name, p.phone as patient_phone, s.count, s.remaining, s.first_date, s.last_date, s.next_date
    from series s join patients p on p.clinic_id = $1 and p.id = s.patient_id order by s.last_date desc, s.id limit $4 offset $5
  ) page on true`);

export const listSeries = (db: Db, clinicId: string, { patientId, doctorId }: { patientId: string | null; doctorId: string | null }, page: Page, now: Date) =>
  readPage(db, clinicId, listStatement, [clinicId, patientId, doctorId, page.limit, page.offset, now]);
