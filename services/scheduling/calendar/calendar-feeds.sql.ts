// The calendar feed of a doctor: its token and its appointments.

import { type Db, execute, readTenant, row, type SystemTx, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import type { EmbeddedRow } from '../appointments/appointment-row.ts';
import { ENDS_AT } from '../slots/ends-at.sql.ts';

export type FeedRow = { clinic_id: string; id: string; full_name: string; feed_token_sealed: Buffer | null };

const OF_DOCTOR = 'select clinic_id, id, full_name, feed_token_sealed from doctors where clinic_id = $1 and id = $2 and is_active';
const findStatement = sql<FeedRow>(OF_DOCTOR);

/** Undefined when the clinic has no such active doctor. */
export const findFeedOfDoctor = async (db: Db, clinicId: string, doctorId: string) => (await readTenant(db, clinicId, findStatement, [clinicId, doctorId]))[0];

// Under this lock one of several concurrent first requests creates the token, and the others find it.
const lockStatement = sql<FeedRow>(`${OF_DOCTOR} for no key update`);

/** Undefined when the clinic has no such active doctor. */
export const lockFeed = (tx: TenantTx, doctorId: string) => row(tx, lockStatement, [tx.clinicId, doctorId]);

const setTokenStatement = sql('update doctors set feed_token_hash = $3, feed_token_sealed = $4, updated_at = $5 where clinic_id = $1 and id = $2');

export const setFeedToken = (tx: TenantTx, doctorId: string, token: { hash: Buffer; ciphertext: Buffer }, now: Date) =>
  execute(tx, setTokenStatement, [tx.clinicId, doctorId, token.hash, token.ciphertext, now]);

/** The last change of the doctor or of any appointment of the clinic, also of one that is no longer in the feed. */
export type FeedWithChange = FeedRow & { changed_at: Date };

const findByTokenStatement = sql<FeedWithChange>(`
  select d.clinic_id, d.id, d.full_name, d.feed_token_sealed,
    greatest(d.updated_at, (select max(a.updated_at) from appointments a where a.clinic_id = d.clinic_id)) as changed_at
  from doctors d where d.feed_token_hash = $1 and d.is_active`);

/** As the system: a calendar app sends only the token, so the clinic is unknown. */
export const findFeedByToken = (tx: SystemTx, hash: Buffer) => row(tx, findByTokenStatement, [hash]);

export type FeedAppointment = Pick<EmbeddedRow, 'id' | 'status' | 'starts_at' | 'ends_at' | 'patient_name' | 'revision' | 'created_at' | 'updated_at'>;

const listFeedAppointmentsStatement = sql<FeedAppointment>(`
  select a.id, a.status, a.starts_at, ${ENDS_AT} as ends_at, p.full_name as patient_name, a.revision, a.created_at,
    greatest(a.updated_at, p.updated_at) as updated_at
  from appointments a join patients p on p.clinic_id = a.clinic_id and p.id = a.patient_id
  where a.clinic_id = $1 and a.doctor_id = $2 and a.appointment_date between $3 and $4 and a.status in ('confirmed', 'pending')
  order by a.starts_at, a.id`);

/** Active appointments from one date to another, both included. `updated_at` is the last change of the appointment or its patient. */
export const listFeedAppointments = (db: Db, { clinic_id, id }: FeedRow, from: string, to: string) =>
  readTenant(db, clinic_id, listFeedAppointmentsStatement, [clinic_id, id, from, to]);
