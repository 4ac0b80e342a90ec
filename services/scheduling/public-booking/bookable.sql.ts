// The types that can be booked online, and the doctors who offer them.
import { alphabetical } from '@clinic/lib/db/alphabetical.ts';
import { type Db, readTenant, row, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import { offeredBy } from '../appointment-types/appointment-types.sql.ts';

export type BookableTypeRow = {
  id: string;
  name: string;
  duration_minutes: number;
  cancellation_notice_hours: number;
  cancellation_text: string | null;
  /** Active doctors who can be booked online. */
  doctor_ids: string[];
};

const TYPES = `
  select t.id, t.name, t.duration_minutes, coalesce(t.cancellation_notice_hours, c.cancellation_notice_hours, 0) as cancellation_notice_hours,
    coalesce(t.cancellation_text, c.cancellation_text) as cancellation_text,
    array(
      select d.id from doctors d where d.clinic_id = t.clinic_id and d.is_active and d.online_bookable and ${offeredBy('d.id')} order by d.id
    ) as doctor_ids
  from appointment_types t left join clinics c on c.clinic_id = t.clinic_id
  where t.clinic_id = $1 and t.is_active and t.online_bookable`;
const listTypesStatement = sql<BookableTypeRow>(`${TYPES} order by ${alphabetical('t.name')}, t.id`);
const findTypeStatement = sql<BookableTypeRow>(`${TYPES} and t.id = $2`);

export const listBookableTypes = (db: Db, clinicId: string) => readTenant(db, clinicId, listTypesStatement, [clinicId]);

export const findBookableTypeIn = (tx: TenantTx, id: string) => row(tx, findTypeStatement, [tx.clinicId, id]);

export const findBookableType = async (db: Db, clinicId: string, id: string) => (await readTenant(db, clinicId, findTypeStatement, [clinicId, id]))[0];

type BookableDoctorRow = { id: string; full_name: string; specialty: string | null };

const listDoctorsStatement = sql<BookableDoctorRow>(`
  select id, full_name, specialty from doctors where clinic_id = $1 and is_active and id = any($2) order by ${alphabetical('full_name')}, id`);

export const listBookableDoctors = (db: Db, clinicId: string, ids: string[]) => readTenant(db, clinicId, listDoctorsStatement, [clinicId, ids]);
