// Contacts of recall campaigns: one row per message to a patient.
import { type Db, execute, readTenant, row, rows, type SystemTx, sql, type Tx } from '@clinic/lib/db/db.ts';
import { readPage } from '@clinic/lib/db/read-page.ts';
import { toFields } from '@clinic/lib/formats/to-fields.ts';
import type { FoundPatient } from '@clinic/proto/scheduling/v1/lookup_pb.js';
import type { ContactState } from '../rules/contact-state.ts';

export type ContactRow = ContactState & {
  clinic_id: string;
  id: string;
  campaign_id: string;
  patient_id: string;
  last_visit: string;
  attempt: number;
  due_at: Date;
  appointment_id: string | null;
  created_at: Date;
};

export function toProto(contact: ContactRow, patient: FoundPatient | undefined) {
  return { ...toFields(contact), patientName: patient?.fullName, patientPhone: patient?.reachablePhone };
}

const COLUMNS = `clinic_id, id, campaign_id, patient_id, last_visit, attempt, due_at, status, failure, failed_at, sent_at, last_sent_at, delivered_at, read_at,
  responded_at, appointment_id, created_at`;

const listStatement = sql<ContactRow & { total: number }>(`
  select counted.total, page.* from (select count(*)::int as total from recall_contacts where clinic_id = $1 and campaign_id = $2) counted
  left join lateral (
    select ${COLUMNS} from recall_contacts where clinic_id = $1 and campaign_id = $2 order by created_at desc, id desc limit $3 offset $4
  ) page on true`);

/** A page of a campaign's contacts, newest first. */
export const findContactPage = (db: Db, clinicId: string, campaignId: string, limit: number, offset: number) =>
  readPage(db, clinicId, listStatement, [clinicId, campaignId, limit, offset]);

const lockStatement = sql<ContactRow>(`select ${COLUMNS} from recall_contacts where clinic_id = $1 and id = $2 for update`);

export const lockContact = (tx: SystemTx, clinicId: string, id: string) => row(tx, lockStatement, [clinicId, id]);

const setStateStatement = sql(`
  update recall_contacts set status = $3, failure = $4, failed_at = $5, sent_at = $6, last_sent_at = $7, delivered_at = $8, read_at = $9, responded_at = $10,
    updated_at = $11
  where clinic_id = $1 and id = $2`);

export async function setState(tx: Tx, contact: ContactRow, state: ContactState, now: Date): Promise<void> {
  const { status, failure, failed_at, sent_at, last_sent_at, delivered_at, read_at, responded_at } = state;
  const times = [failed_at, sent_at, last_sent_at, delivered_at, read_at, responded_at, now];
  await execute(tx, setStateStatement, [contact.clinic_id, contact.id, status, failure, ...times]);
}

const withdrawStatement = sql(`
  update recall_contacts set status = $3, failure = $4, withdrawn = true, updated_at = $5 where clinic_id = $1 and id = $2 and status = 'queued'`);

/** Withdraws a contact that was not sent. It does not count as an attempt. */
export async function withdraw(tx: Tx, contact: { clinic_id: string; id: string }, reason: string, now: Date): Promise<void> {
  const state = reason === 'opted_out' ? ['opted_out', null] : ['failed', reason];
  await execute(tx, withdrawStatement, [contact.clinic_id, contact.id, ...state, now]);
}

const withdrawOptedOutStatement = sql(`
  update recall_contacts set status = 'opted_out', withdrawn = true, updated_at = $3
  where clinic_id = $1 and patient_id = $2 and status = 'queued'
    and exists (select from recall_patients where clinic_id = $1 and patient_id = $2 and opted_out)`);

/** Withdraws all queued contacts of a patient, unless the patient has opted in again. */
export const withdrawOptedOut = (tx: SystemTx, clinicId: string, patientId: string, now: Date) =>
  execute(tx, withdrawOptedOutStatement, [clinicId, patientId, now]);

// A materialized common table expression runs once; a subquery of the join could run again and lock other rows.
const releaseStatement = sql<Pick<ContactRow, 'clinic_id' | 'id' | 'campaign_id' | 'patient_id'>>(`
  with due as materialized (
    select clinic_id, id from recall_contacts where status = 'queued' and released_at is null and due_at <= $1
    order by due_at limit $2 for update skip locked
  )
  update recall_contacts k set released_at = $1 from due
  where k.clinic_id = due.clinic_id and k.id = due.id
  returning k.clinic_id, k.id, k.campaign_id, k.patient_id`);

/** Marks up to `limit` due contacts of all clinics as released and returns them. Concurrent workers receive different contacts. */
export const releaseDue = (tx: SystemTx, now: Date, limit: number) => rows(tx, releaseStatement, [now, limit]);

// The patients of a clinic's contacts change under this lock, and do not change while a transaction has it shared.
const patientsLock = (lock: string) => sql(`select ${lock}(hashtextextended('recall contacts ' || $1::text, 0))`);
const lockPatientsStatement = patientsLock('pg_advisory_xact_lock');
const lockPatientsSharedStatement = patientsLock('pg_advisory_xact_lock_shared');

/** Serializes the changes of the patients of a clinic's contacts. */
export const lockPatientsOfContacts = (tx: SystemTx, clinicId: string) => execute(tx, lockPatientsStatement, [clinicId]);

// In a fixed order, so that transactions do not deadlock.
const lockBookingsStatement = sql(`
  select pg_advisory_xact_lock(hashtextextended('recall bookings ' || clinic_id || patient_id, 0))
  from (select distinct * from unnest($1::uuid[], $2::uuid[]) as one (clinic_id, patient_id) order by 1, 2) patients`);
const findPatientStatement = sql<{ patient_id: string }>('select patient_id from recall_contacts where clinic_id = $1 and id = $2');

/**
 * Serializes what changes the answers and bookings of patients, so that of an answer and a booking the second one sees the first. Called before contacts are
 * locked or changed. `clinicIds[i]` is the clinic of `patientIds[i]`.
 */
export const lockBookings = (tx: SystemTx, clinicIds: string[], patientIds: string[]) => execute(tx, lockBookingsStatement, [clinicIds, patientIds]);

/** Locks a contact and the bookings of its patient. */
export async function lockContactAndBookings(tx: SystemTx, clinicId: string, id: string): Promise<ContactRow | undefined> {
  await execute(tx, lockPatientsSharedStatement, [clinicId]);
  const contact = await row(tx, findPatientStatement, [clinicId, id]);
  if (!contact) return undefined;
  await lockBookings(tx, [clinicId], [contact.patient_id]);
  return lockContact(tx, clinicId, id);
}

// An appointment's id begins with the time of its booking (UUIDv7). A booking that was stored remains after the appointment is assigned to another patient.
// With its arrays in subselects the statement is not planned again for each execution, which takes several times as long as executing it.
const storeBookingStatement = sql(`
  update recall_contacts k set appointment_id = booked.id, updated_at = $3
  from (
    select clinic_id, id, patient_id, appointment_id, responded_at,
      lead(responded_at) over (partition by clinic_id, patient_id order by responded_at, id) as next_answer
    from recall_contacts
    join (select distinct * from unnest((select $1::uuid[]), (select $2::uuid[])) as one (clinic_id, patient_id)) p using (clinic_id, patient_id)
    where responded_at is not null
  ) answer, lateral (
    select min(b.id::text)::uuid as id
    from (
      select answer.appointment_id
      union all
      select v.appointment_id from recall_visits v where v.clinic_id = answer.clinic_id and v.patient_id = answer.patient_id
    ) b (id)
    where uuid_extract_timestamp(b.id) between answer.responded_at and answer.responded_at + interval '30 days'
      and (answer.next_answer is null or uuid_extract_timestamp(b.id) < answer.next_answer)
  ) booked
  where k.clinic_id = answer.clinic_id and k.id = answer.id and k.appointment_id is distinct from booked.id`);

/**
 * Stores for each answer of the patients the first booking within 30 days after it and before the next answer. Called for answers and bookings, which
 * may arrive in any order and concurrently. The caller has called lockBookings() with the same patients.
 */
export const storeBookings = (tx: SystemTx, clinicIds: string[], patientIds: string[], now: Date) =>
  execute(tx, storeBookingStatement, [clinicIds, patientIds, now]);

type RecallStats = { sent: number; responded: number; booked: number; opted_out: number };

const statsStatement = sql<RecallStats>(`
  select count(*)::int as sent, count(responded_at)::int as responded, count(appointment_id)::int as booked,
    (select count(*)::int from recall_patients where clinic_id = $1 and opted_out and opted_out_at >= $2 and opted_out_at < $3) as opted_out
  from recall_contacts where clinic_id = $1 and sent_at >= $2 and sent_at < $3`);

/** Counts of the messages of all campaigns that were sent from `from` (inclusive) to `to` (exclusive). */
export async function findRecallStats(db: Db, clinicId: string, from: Date, to: Date): Promise<RecallStats> {
  const [stats] = await readTenant(db, clinicId, statsStatement, [clinicId, from, to]);
  return stats as RecallStats; // the statement always returns one row
}
