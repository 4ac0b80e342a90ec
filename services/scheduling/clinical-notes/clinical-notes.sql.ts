// Clinical notes and their amendments, which are rows of the same table.
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { type Db, execute, readSystem, row, rows, type SystemTx, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import { readPage } from '@clinic/lib/db/read-page.ts';
import type { Page } from '@clinic/lib/formats/page.ts';
import { toFields } from '@clinic/lib/formats/to-fields.ts';
import { recordsOf, refuseMergedRecord, shownPatientOf } from '../patient-records/records.sql.ts';
import { DRAFT_MS, hashNote, isSigned, type NoteStatus, type SignedContent } from './note-rules.ts';

/** Times as texts, since they are aggregated as JSON. */
type AmendmentRow = { id: string; text: string; author_id: string; created_at: string; hash: string };

type NoteRow = SignedContent & { updated_at: Date; signed_at: Date | null; signed_by: string | null; hash: Buffer | null };

/** `patient_id` is the record for which the note was written; `shown_patient_id` is the patient into whom it was merged, or that record itself. */
type EmbeddedNote = NoteRow & { shown_patient_id: string; patient_name: string; amendments: AmendmentRow[] };

export function toProto(note: EmbeddedNote, now: Date) {
  const signed = isSigned(note, now);
  const signedAt = note.signed_at ?? (signed ? new Date(note.created_at.getTime() + DRAFT_MS) : undefined);
  return {
    ...toFields(note),
    patients: { id: note.shown_patient_id, fullName: note.patient_name },
    status: signed ? 'signed' : 'draft',
    signedAt: signedAt && timestampFromDate(signedAt),
    hash: signed ? (note.hash ?? hashNote(note)).toString('hex') : undefined,
    amendments: note.amendments.map((one) => ({ ...toFields(one), createdAt: timestampFromDate(new Date(one.created_at)) })),
  };
}

const COLUMNS = 'n.id, n.patient_id, n.appointment_id, n.tooth, n.amends, n.text, n.author_id, n.created_at, n.updated_at, n.signed_at, n.signed_by, n.hash';
const EMBEDDED = `${COLUMNS}, p.id as shown_patient_id, p.full_name as patient_name,
  (select coalesce(json_agg(json_build_object('id', m.id, 'text', m.text, 'author_id', m.author_id, 'created_at', m.created_at, 'hash', encode(m.hash, 'hex'))
    order by m.created_at, m.id), '[]') from clinical_notes m where m.clinic_id = n.clinic_id and m.amends = n.id) as amendments`;
const JOINS = shownPatientOf('n');

const OF_PATIENT = `n.patient_id = any(${recordsOf('$1', '$2')})`;

type NoteFilter = {
  patientId: string | null;
  appointmentId: string | null;
  tooth: number | null;
  authorId: string | null;
  status: NoteStatus | null;
  from: Date | null;
  until: Date | null;
  /** From findNotesByText(). */
  ids: string[] | null;
};

// Notes written at $9 or earlier count as signed.
const MATCHES = `n.clinic_id = $1 and n.amends is null and ($2::uuid is null or ${OF_PATIENT}) and ($3::uuid is null or n.appointment_id = $3)
  and ($4::int is null or n.tooth = $4) and ($5::uuid is null or n.author_id = $5) and ($6::timestamptz is null or n.created_at >= $6)
  and ($7::timestamptz is null or n.created_at < $7) and ($8::text is null or ($8 = 'signed') = (n.signed_at is not null or n.created_at <= $9))
  and ($10::uuid[] is null or n.id = any($10))`;
const listStatement = sql<EmbeddedNote & { total: number }>(`
  select counted.total, page.* from (select count(*)::int as total from clinical_notes n where ${MATCHES}) counted
  left join lateral (select ${EMBEDDED} from clinical_notes n ${JOINS} where ${MATCHES} order by n.created_at desc, n.id desc limit $11 offset $12) page on true`);

export function listNotes(db: Db, clinicId: string, filter: NoteFilter, { limit, offset }: Page, now: Date) {
  const { patientId, appointmentId, tooth, authorId, from, until, status, ids } = filter;
  const values = [patientId, appointmentId, tooth, authorId, from, until, status, new Date(now.getTime() - DRAFT_MS), ids];
  return readPage(db, clinicId, listStatement, [clinicId, ...values, limit, offset]);
}

/** Older matches are ignored. */
const MAX_FOUND = 10_000;
// As the system, since under row-level security no index serves @@ (docs/decisions/row-level-security.md). The expression must be that of the index.
// The ids are UUIDs of version 7, so that the greatest are those of the newest notes.
const searchStatement = sql<{ id: string }>(`
  select distinct coalesce(n.amends, n.id) as id from clinical_notes n
  where n.clinic_id = $1 and ($2::uuid is null or ${OF_PATIENT}) and to_tsvector('spanish', fold_spanish(n.text)) @@ websearch_to_tsquery('spanish', fold_spanish($3))
  order by id desc limit $4`);

/** The ids of the newest notes of the patient, or of the clinic, that contain the words, also in an amendment. */
export const findNotesByText = async (db: Db, clinicId: string, patientId: string | null, text: string, max = MAX_FOUND) =>
  (await readSystem(db, searchStatement, [clinicId, patientId, text.normalize('NFC'), max])).map(({ id }) => id);

const findStatement = sql<EmbeddedNote>(`
  select ${EMBEDDED} from clinical_notes n ${JOINS} where n.clinic_id = $1 and ${OF_PATIENT} and n.id = $3 and n.amends is null`);

/** Undefined when it is no note of the patient. */
export const findNote = (tx: TenantTx, patientId: string, id: string) => row(tx, findStatement, [tx.clinicId, patientId, id]);

const lockStatement = sql('select from clinical_notes where clinic_id = $1 and id = $2 for update');

/** The same, locked. */
export async function lockNote(tx: TenantTx, patientId: string, id: string): Promise<EmbeddedNote | undefined> {
  await refuseMergedRecord(tx, patientId);
  const [, found] = await Promise.all([execute(tx, lockStatement, [tx.clinicId, id]), findNote(tx, patientId, id)]);
  return found;
}

const insertStatement = sql(`
  insert into clinical_notes (clinic_id, id, patient_id, appointment_id, tooth, amends, text, author_id, created_at, updated_at, signed_at, signed_by, hash)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9, $10, $11, $12)`);

type Signature = Pick<NoteRow, 'signed_at' | 'signed_by' | 'hash'>;
export const UNSIGNED: Signature = { signed_at: null, signed_by: null, hash: null };

export async function insertNote(tx: TenantTx, note: SignedContent & Signature): Promise<void> {
  const { id, patient_id, appointment_id, tooth, amends, text, author_id, created_at, signed_at, signed_by, hash } = note;
  const values = [id, patient_id, appointment_id, tooth, amends, text, author_id, created_at, signed_at, signed_by, hash];
  await execute(tx, insertStatement, [tx.clinicId, ...values]);
}

const updateStatement = sql(`
  update clinical_notes set text = $3, appointment_id = $4, tooth = $5, updated_at = $6 where clinic_id = $1 and id = $2`);

export const updateNote = (tx: TenantTx, { id, text, appointment_id, tooth }: SignedContent, now: Date) =>
  execute(tx, updateStatement, [tx.clinicId, id, text, appointment_id, tooth, now]);

const deleteStatement = sql('delete from clinical_notes where clinic_id = $1 and id = $2 and signed_at is null');

export const deleteDraft = (tx: TenantTx, id: string) => execute(tx, deleteStatement, [tx.clinicId, id]);

const signStatement = sql(`update clinical_notes set signed_at = $3, signed_by = $4, hash = $5 where clinic_id = $1 and id = $2`);

export const setSigned = (tx: TenantTx | SystemTx, clinicId: string, id: string, { signed_at, signed_by, hash }: Signature) =>
  execute(tx, signStatement, [clinicId, id, signed_at, signed_by, hash]);

// Skips notes that their authors are signing.
const lockDueStatement = sql<NoteRow & { clinic_id: string }>(`
  select n.clinic_id, ${COLUMNS} from clinical_notes n where n.signed_at is null and n.created_at <= $1 order by n.created_at limit $2 for update skip locked`);

/** Drafts of all clinics that were written at `until` or before. */
export const lockDueNotes = (tx: SystemTx, until: Date, limit: number) => rows(tx, lockDueStatement, [until, limit]);

const lockAppointmentStatement = sql('select from appointments where clinic_id = $1 and id = $2 and patient_id = $3 for key share');

/**
 * Whether it is an appointment of the patient, which no merge can change until the transaction ends; true for null. To be called before lockRecord(), because
 * a merge locks appointments before patients.
 */
export const lockAppointmentOf = async (tx: TenantTx, appointmentId: string | null, patientId: string): Promise<boolean> =>
  appointmentId === null || (await row(tx, lockAppointmentStatement, [tx.clinicId, appointmentId, patientId])) !== undefined;
