// Waitlist entries, in the order of arrival.
import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { type Db, execute, row, rows, type SystemTx, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import { qualified } from '@clinic/lib/db/qualified.ts';
import { readPage } from '@clinic/lib/db/read-page.ts';
import { toFields } from '@clinic/lib/formats/to-fields.ts';
import type { WaitlistEntrySchema } from '@clinic/proto/scheduling/v1/waitlist_pb.js';
import { type Needs, NO_NEEDS } from '../slots/slot-needs.ts';

export const ENTRY_STATUSES = ['waiting', 'offered', 'booked', 'expired', 'left'] as const;
type EntryStatus = (typeof ENTRY_STATUSES)[number];

export type EntryState = { clinic_id: string; id: string; patient_id: string; status: EntryStatus; revision: number };

export type EntryRow = EntryState & {
  doctor_id: string | null;
  date_from: string;
  date_to: string;
  time_from: string | null;
  time_to: string | null;
  notes: string | null;
  type_id: string | null;
  duration_minutes: number | null;
  appointment_id: string | null;
  created_at: Date;
  updated_at: Date;
  patient_name: string;
  patient_phone: string | null;
  doctor_name: string | null;
  doctor_specialty: string | null;
  /** The open offer, when there is one. */
  offer_id: string | null;
  offer_doctor_id: string | null;
  offer_date: string | null;
  offer_start_time: string | null;
  offer_end_time: string | null;
  offer_expires_at: Date | null;
};

export const toProto = (entry: EntryRow) => ({
  ...toFields(entry),
  offer: toOffer(entry),
  patients: { id: entry.patient_id, fullName: entry.patient_name, phone: entry.patient_phone ?? undefined },
  doctors: entry.doctor_id ? { id: entry.doctor_id, fullName: entry.doctor_name ?? '', specialty: entry.doctor_specialty ?? undefined } : undefined,
});

function toOffer(entry: EntryRow): MessageInitShape<typeof WaitlistEntrySchema>['offer'] {
  if (!entry.offer_id || !entry.offer_expires_at) return undefined;
  return {
    id: entry.offer_id,
    doctorId: entry.offer_doctor_id ?? '',
    appointmentDate: entry.offer_date ?? '',
    startTime: entry.offer_start_time ?? '',
    endTime: entry.offer_end_time ?? '',
    expiresAt: timestampFromDate(entry.offer_expires_at),
  };
}

/** Of an EntryState. */
export const STATE_COLUMNS = 'clinic_id, id, patient_id, status, revision';

/** The entry as events carry it. */
export const toState = (entry: EntryState) => ({ entryId: entry.id, patientId: entry.patient_id, status: entry.status, revision: entry.revision });

const COLUMNS = `e.clinic_id, e.id, e.patient_id, e.doctor_id, e.date_from, e.date_to, e.time_from, e.time_to, e.notes, e.type_id, e.duration_minutes, e.status, e.appointment_id, e.revision,
  e.created_at, e.updated_at, p.full_name as patient_name, p.phone as patient_phone, d.full_name as doctor_name, d.specialty as doctor_specialty,
  o.id as offer_id, o.doctor_id as offer_doctor_id, o.appointment_date as offer_date, o.start_time as offer_start_time, o.end_time as offer_end_time,
  o.expires_at as offer_expires_at`;
const JOINS = `join patients p on p.clinic_id = e.clinic_id and p.id = e.patient_id
  left join doctors d on d.clinic_id = e.clinic_id and d.id = e.doctor_id
  left join waitlist_offers o on o.clinic_id = e.clinic_id and o.entry_id = e.id and o.status = 'open'`;

const findStatement = sql<EntryRow>(`select ${COLUMNS} from waitlist_entries e ${JOINS} where e.clinic_id = $1 and e.id = $2`);

export const findEntry = (tx: TenantTx, id: string) => row(tx, findStatement, [tx.clinicId, id]);

const page = (condition: string) =>
  sql<EntryRow & { total: number }>(`
  select counted.total, page.* from (select count(*)::int as total from waitlist_entries e where e.clinic_id = $1 and ${condition}) counted
  left join lateral (
    select ${COLUMNS} from waitlist_entries e ${JOINS} where e.clinic_id = $1 and ${condition} order by e.created_at, e.id limit $2 offset $3
  ) page on true`);

const listStatement = page('true');
const listByStatusStatement = page('e.status = $4');

/** A page in the order of arrival. */
export function listEntries(db: Db, clinicId: string, status: EntryStatus | undefined, limit: number, offset: number) {
  const [statement, more] = status === undefined ? [listStatement, []] : [listByStatusStatement, [status]];
  return readPage(db, clinicId, statement, [clinicId, limit, offset, ...more]);
}

// This lock lets only one of several concurrent identical requests add the entry.
const lockPatientStatement = sql('select from patients where clinic_id = $1 and id = $2 for no key update');
const insertStatement = sql(`
  insert into waitlist_entries (clinic_id, id, patient_id, doctor_id, date_from, date_to, time_from, time_to, notes, created_at, updated_at, type_id, duration_minutes)
  select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10, $11, $12
  where not exists (
    select from waitlist_entries e
    where e.clinic_id = $1 and e.patient_id = $3 and e.status in ('waiting', 'offered')
      and (e.doctor_id, e.date_from, e.date_to, e.time_from, e.time_to, e.type_id, e.duration_minutes)
        is not distinct from ($4, $5::date, $6::date, $7::time, $8::time, $11::uuid, $12::int))`);

type NewEntry = Pick<
  EntryRow,
  'id' | 'patient_id' | 'doctor_id' | 'date_from' | 'date_to' | 'time_from' | 'time_to' | 'notes' | 'type_id' | 'duration_minutes'
>;

/** False when the patient already waits for the same doctor, dates and times. */
export async function insertEntry(tx: TenantTx, entry: NewEntry, now: Date): Promise<boolean> {
  const { id, patient_id, doctor_id, date_from, date_to, time_from, time_to, notes, type_id, duration_minutes } = entry;
  const values = [id, patient_id, doctor_id, date_from, date_to, time_from, time_to, notes, now, type_id, duration_minutes];
  const [, inserted] = await Promise.all([
    execute(tx, lockPatientStatement, [tx.clinicId, patient_id]),
    execute(tx, insertStatement, [tx.clinicId, ...values]),
  ]);
  return inserted === 1;
}

const setStatusStatement = sql<EntryState>(`
  update waitlist_entries set status = $3, appointment_id = $4, updated_at = $5, revision = revision + 1
  where clinic_id = $1 and id = $2 and status = $6 returning ${STATE_COLUMNS}`);

export type EntryChange = { status: EntryStatus; appointmentId?: string };

/** Undefined when the status of the entry was not `from`. */
export const setEntryStatus = (tx: TenantTx, id: string, from: EntryStatus, { status, appointmentId }: EntryChange, now: Date) =>
  row(tx, setStatusStatement, [tx.clinicId, id, status, appointmentId ?? null, now, from]);

// `skip locked`: concurrent transactions that free slots of other doctors take the next entry instead of waiting. A slot is not offered
// to the patient who has just given it up, nor twice to one patient.
const lockFirstStatement = sql<EntryState & WaitingNeeds>(`
  select ${qualified(STATE_COLUMNS, 'e')}, e.type_id, e.duration_minutes
  from unnest($6::uuid[], $7::int[], $8::time[]) as n (type_id, duration_minutes, end_time)
  join waitlist_entries e on (e.type_id, e.duration_minutes) is not distinct from (n.type_id, n.duration_minutes)
  where e.clinic_id = $1 and e.status = 'waiting' and (e.doctor_id is null or e.doctor_id = $2)
    and $3::date between e.date_from and e.date_to
    and (e.time_from is null or e.time_from <= $4::time) and (e.time_to is null or (n.end_time > $4::time and e.time_to >= n.end_time))
    and not exists (select from waitlist_entries w join waitlist_offers o on o.clinic_id = w.clinic_id and o.entry_id = w.id
      where w.clinic_id = $1 and w.patient_id = e.patient_id and o.doctor_id = $2 and o.starts_at = $5)
    and not exists (select from appointments a where a.clinic_id = $1 and a.patient_id = e.patient_id and a.doctor_id = $2 and a.starts_at = $5)
    and exists (select from patients p where p.clinic_id = $1 and p.id = e.patient_id and p.archived_at is null)
  order by e.created_at, e.id limit 1 for update of e skip locked`);

export type OfferedSlot = { doctor_id: string; appointment_date: string; start_time: string; end_time: string; starts_at: Date };

/** The type and length that a waiting entry needs. */
export type WaitingNeeds = Pick<EntryRow, 'type_id' | 'duration_minutes'>;

export const needsOf = ({ type_id, duration_minutes }: WaitingNeeds): Needs => ({ ...NO_NEEDS, typeId: type_id, durationMinutes: duration_minutes });

type Start = Omit<OfferedSlot, 'end_time'>;

/** Locks the first waiting entry that a slot with this start suits. `ends` lists the needs for which the start is free, each with its end time. */
export function lockFirstFor(tx: TenantTx, start: Start, ends: (WaitingNeeds & { end_time: string })[]): Promise<(EntryState & WaitingNeeds) | undefined> {
  const { doctor_id, appointment_date, start_time, starts_at } = start;
  const columns = [ends.map(({ type_id }) => type_id), ends.map(({ duration_minutes }) => duration_minutes), ends.map(({ end_time }) => end_time)];
  return row(tx, lockFirstStatement, [tx.clinicId, doctor_id, appointment_date, start_time, starts_at, ...columns]);
}

const listNeedsStatement = sql<WaitingNeeds>(`
  select type_id, duration_minutes from waitlist_entries
  where clinic_id = $1 and status = 'waiting' and (doctor_id is null or doctor_id = $2) and $3::date between date_from and date_to
  group by type_id, duration_minutes order by min(created_at)`);

/** The distinct needs of the entries that wait for this doctor on this date, in the order of the oldest entry with each. */
export const listWaitingNeeds = (tx: TenantTx, doctorId: string, date: string) => rows(tx, listNeedsStatement, [tx.clinicId, doctorId, date]);

const expireStatement = sql<EntryState>(`
  update waitlist_entries e set status = 'expired', updated_at = $3, revision = revision + 1
  where (clinic_id, id) in (
    select w.clinic_id, w.id from waitlist_entries w left join clinics c on c.clinic_id = w.clinic_id
    where w.status = 'waiting' and w.date_to <= $1::date and w.date_to < ($3 at time zone coalesce(c.timezone, $2))::date
    limit $4 for update of w skip locked)
  and e.status = 'waiting' returning ${STATE_COLUMNS}`);

/** Expires entries whose last date is over in the clinic's zone. `zone` is used for clinics whose zone is not known yet. */
export function expireEntries(tx: SystemTx, zone: string, now: Date, limit: number): Promise<EntryState[]> {
  const latest = new Date(now.getTime() + 24 * 3_600_000).toISOString().slice(0, 10);
  return rows(tx, expireStatement, [latest, zone, now, limit]);
}
