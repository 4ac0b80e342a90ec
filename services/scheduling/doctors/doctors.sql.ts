// Doctors with their weekly hours.
import type { NamedKey } from '@clinic/lib/config/config.ts';
import { alphabetical } from '@clinic/lib/db/alphabetical.ts';
import { type Db, execute, readTenant, row, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import { readPage } from '@clinic/lib/db/read-page.ts';
import { toFields } from '@clinic/lib/formats/to-fields.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { decryptFeedToken } from '../calendar/feed-token.ts';
import type { Conflict } from '../slots/timetable.sql.ts';

export type DoctorRow = {
  clinic_id: string;
  id: string;
  full_name: string;
  specialty: string | null;
  bio: string | null;
  photo_url: string | null;
  /** The id of an uploaded photo, with which photo_url is null. */
  photo_id: string | null;
  consultation_duration_minutes: number;
  buffer_time_minutes: number;
  is_active: boolean;
  /** Whether the booking page offers the doctor. */
  online_bookable: boolean;
  feed_token_sealed: Buffer | null;
  created_at: Date;
  updated_at: Date;
  hours: { id: string; day_of_week: number; start_time: string; end_time: string; is_active: boolean }[];
  breaks: { id: string; day_of_week: number; start_time: string; end_time: string }[];
};

/** The address of the photo, or null. */
export const photoUrlOf = ({ photo_id, photo_url }: DoctorRow, publicUrl: string) => (photo_id ? `${publicUrl}/api/doctors/photos/${photo_id}` : photo_url);

export const toProto = (app: { keys: NamedKey[]; publicUrl: string }, doctor: DoctorRow, conflicts: Conflict[] = []) => ({
  ...toFields(doctor),
  photoUrl: photoUrlOf(doctor, app.publicUrl) ?? undefined,
  calendarFeedToken: decryptFeedToken(app, doctor),
  doctorWorkingHours: doctor.hours.map(toFields),
  doctorBreaks: doctor.breaks.map(toFields),
  conflicts,
});

const COLUMNS = `d.clinic_id, d.id, d.full_name, d.specialty, d.bio, d.photo_url, d.photo_id, d.consultation_duration_minutes, d.buffer_time_minutes,
  d.is_active, d.online_bookable, d.feed_token_sealed, d.created_at, d.updated_at,
  (select coalesce(json_agg(json_build_object('id', h.id, 'day_of_week', h.day_of_week, 'start_time', h.start_time, 'end_time', h.end_time,
    'is_active', h.is_active) order by h.day_of_week, h.start_time), '[]')
   from doctor_working_hours h where h.clinic_id = d.clinic_id and h.doctor_id = d.id) as hours,
  (select coalesce(json_agg(json_build_object('id', b.id, 'day_of_week', b.day_of_week, 'start_time', b.start_time, 'end_time', b.end_time)
    order by b.day_of_week, b.start_time), '[]')
   from doctor_breaks b where b.clinic_id = d.clinic_id and b.doctor_id = d.id) as breaks`;

const findStatement = sql<DoctorRow>(`select ${COLUMNS} from doctors d where d.clinic_id = $1 and d.id = $2`);

/** Undefined also when `id` is not a UUID. */
export const findDoctorWithHours = async (db: Db, clinicId: string, id: string) =>
  isUuid(id) ? (await readTenant(db, clinicId, findStatement, [clinicId, id]))[0] : undefined;

export const findDoctor = (tx: TenantTx, id: string) => row(tx, findStatement, [tx.clinicId, id]);

const lockStatement = sql('select from doctors where clinic_id = $1 and id = $2 for update');

// Locked first, then read: after waiting for another change, one statement would see the hours from before it.
export async function lockDoctor(tx: TenantTx, id: string): Promise<DoctorRow | undefined> {
  const [, found] = await Promise.all([execute(tx, lockStatement, [tx.clinicId, id]), findDoctor(tx, id)]);
  return found;
}

const listStatement = sql<DoctorRow & { total: number }>(`
  select counted.total, page.* from (select count(*)::int as total from doctors where clinic_id = $1 and is_active = $4) counted
  left join lateral (
    select ${COLUMNS} from doctors d where d.clinic_id = $1 and d.is_active = $4 order by ${alphabetical('d.full_name')}, d.id limit $2 offset $3
  ) page on true`);

/** A page of active or inactive doctors by name. */
export const listDoctors = (db: Db, clinicId: string, isActive: boolean, limit: number, offset: number) =>
  readPage(db, clinicId, listStatement, [clinicId, limit, offset, isActive]);

const insertStatement = sql(`
  insert into doctors (clinic_id, id, full_name, specialty, bio, photo_url, consultation_duration_minutes, buffer_time_minutes, online_bookable)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`);

export type DoctorFields = Pick<
  DoctorRow,
  'full_name' | 'specialty' | 'bio' | 'photo_url' | 'consultation_duration_minutes' | 'buffer_time_minutes' | 'online_bookable'
>;

export async function insertDoctor(tx: TenantTx, id: string, doctor: DoctorFields): Promise<void> {
  const { full_name, specialty, bio, photo_url, consultation_duration_minutes, buffer_time_minutes, online_bookable } = doctor;
  const length = [consultation_duration_minutes, buffer_time_minutes];
  await execute(tx, insertStatement, [tx.clinicId, id, full_name, specialty, bio, photo_url, ...length, online_bookable]);
}

const updateStatement = sql(`
  update doctors set full_name = $3, specialty = $4, bio = $5, photo_url = $6, consultation_duration_minutes = $7, buffer_time_minutes = $8,
    is_active = $9, feed_token_hash = case when $9 then feed_token_hash end, feed_token_sealed = case when $9 then feed_token_sealed end, updated_at = $10,
    online_bookable = $11
  where clinic_id = $1 and id = $2`);

export async function updateDoctor(tx: TenantTx, id: string, doctor: DoctorFields & { is_active: boolean }, now: Date): Promise<void> {
  const { full_name, specialty, bio, photo_url, consultation_duration_minutes, buffer_time_minutes, is_active, online_bookable } = doctor;
  const values = [full_name, specialty, bio, photo_url, consultation_duration_minutes, buffer_time_minutes, is_active, now, online_bookable];
  await execute(tx, updateStatement, [tx.clinicId, id, ...values]);
}

const lockDoctorsStatement = sql(`select pg_advisory_xact_lock(hashtextextended('doctors ' || $1::text, 0))`);
const countStatement = sql<{ active: number }>('select count(*)::int as active from doctors where clinic_id = $1 and is_active');

const deactivateStatement = sql(`
  update doctors set is_active = false, feed_token_hash = null, feed_token_sealed = null, updated_at = $3 where clinic_id = $1 and id = $2`);

export const deactivateDoctor = (tx: TenantTx, id: string, now: Date) => execute(tx, deactivateStatement, [tx.clinicId, id, now]);

/** The number of active doctors, counted under a lock until the transaction ends, so that concurrent additions are counted one after another. */
export async function lockAndCountActive(tx: TenantTx): Promise<number> {
  await execute(tx, lockDoctorsStatement, [tx.clinicId]);
  return (await row(tx, countStatement, [tx.clinicId]))?.active ?? 0;
}
