// Clinical notes: only authors change their drafts, which are signed by hand or after 24 hours and then only amended; full-text search in Spanish.
import { randomUUID } from 'node:crypto';
import { asSystem, execute, rows, sql } from '@clinic/lib/db/db.ts';
import { waitForLocked } from '@clinic/lib/testing/wait-for-locked.ts';
import { ClinicalNoteService } from '@clinic/proto/scheduling/v1/clinical_note_pb.js';
import { PatientFamilyService } from '@clinic/proto/scheduling/v1/patient_family_pb.js';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import pg from 'pg';
import { MONDAY, type Scheduling, startScheduling } from '../testing/clinic.ts';
import { findNotesByText } from './clinical-notes.sql.ts';
import { hashNote, parseTooth } from './note-rules.ts';
import { signDueNotesJob } from './sign-notes.ts';

let s: Scheduling;
beforeAll(async () => {
  s = await startScheduling();
});
beforeEach(() => s.clock.set(MONDAY));
afterAll(() => s.service.stop());

const notes = () => s.service.client(ClinicalNoteService);
const HOUR = 3_600_000;

/** A clinic with a patient who has an appointment, and a user who writes notes. */
async function practice() {
  const { id, doctor } = await s.clinic();
  const booked = await s.appointments.bookAppointment(s.booking(doctor.id, '09:00'), s.asUser(id));
  const author = s.asUser(id, { userId: randomUUID(), role: 'doctor' });
  const write = (text: string, more: object = {}) => notes().createClinicalNote({ patientId: booked.patientId, text, ...more }, author);
  return { id, doctor, booked, patientId: booked.patientId, author, write };
}

test('a draft is changed and deleted by its author alone, until it is signed; then it is amended', async () => {
  const { id, booked, patientId, author, write } = await practice();
  const draft = await write('Dolor en 36', { tooth: 36, appointmentId: booked.id });
  expect(draft).toMatchObject({ status: 'draft', tooth: 36, appointmentId: booked.id, patients: { id: patientId, fullName: 'Luis Pérez' }, amendments: [] });
  const ref = { patientId, id: draft.id };
  const other = s.asAdmin(id);
  for (const refused of [
    notes().updateClinicalNote({ ...ref, text: 'Otro' }, other),
    notes().deleteClinicalNote(ref, other),
    notes().signClinicalNote(ref, other),
  ])
    await expect(refused).rejects.toMatchObject({ reason: 'FORBIDDEN' });
  await expect(notes().amendClinicalNote({ ...ref, text: 'x' }, author)).rejects.toMatchObject({ reason: 'NOTE_NOT_SIGNED' });
  expect(await notes().updateClinicalNote({ ...ref, text: 'Dolor en 37', tooth: 0 }, author)).toMatchObject({ text: 'Dolor en 37', appointmentId: booked.id });

  const signed = await notes().signClinicalNote(ref, author);
  expect(signed).toMatchObject({ status: 'signed', hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
  expect(await notes().signClinicalNote(ref, author)).toEqual(signed);
  await expect(notes().updateClinicalNote({ ...ref, text: 'y' }, author)).rejects.toMatchObject({ reason: 'NOTE_SIGNED' });
  await expect(notes().deleteClinicalNote(ref, author)).rejects.toMatchObject({ reason: 'NOTE_SIGNED' });
  const amended = await notes().amendClinicalNote({ ...ref, text: 'Era la 38' }, other);
  expect(amended).toMatchObject({ text: 'Dolor en 37', hash: signed.hash, amendments: [{ text: 'Era la 38' }] });
  expect(await notes().getClinicalNote(ref, author)).toEqual(amended);

  const audited = await asSystem(s.service.db, (tx) =>
    rows(
      tx,
      sql<{ changes: { hash: string } }>(
        "select changes from audit_log where clinic_id = $1 and action in ('clinical_note.signed', 'clinical_note.amended') order by id",
      ),
      [id],
    ),
  );
  expect(audited.map(({ changes }) => changes.hash)).toEqual([signed.hash, amended.amendments[0]?.hash]);
  // Not even a statement of the system changes a signed note.
  const change = asSystem(s.service.db, (tx) => execute(tx, sql("update clinical_notes set text = 'z' where id = $1"), [draft.id]));
  await expect(change).rejects.toThrow('is signed and cannot change');
});

test('a note is signed 24 hours after it was written, and reads the same before and after the job', async () => {
  const { id, patientId, author, write } = await practice();
  const draft = await write('Control');
  s.clock.set(new Date(MONDAY.getTime() + 24 * HOUR - 1));
  expect(await notes().getClinicalNote({ patientId, id: draft.id }, author)).toMatchObject({ status: 'draft' });
  s.clock.set(new Date(MONDAY.getTime() + 24 * HOUR));
  const due = await notes().getClinicalNote({ patientId, id: draft.id }, author);
  expect(due).toMatchObject({ status: 'signed', signedAt: { seconds: BigInt(MONDAY.getTime() / 1000 + 24 * 3600) } });
  await expect(notes().updateClinicalNote({ patientId, id: draft.id, text: 'x' }, author)).rejects.toMatchObject({ reason: 'NOTE_SIGNED' });
  const drafts = () => notes().listClinicalNotes({ patientId, status: 'draft' }, author);
  expect(await drafts()).toMatchObject({ total: 0 });
  await signDueNotesJob({ db: s.service.db, clock: s.clock }).work({});
  expect(await notes().getClinicalNote({ patientId, id: draft.id }, author)).toEqual(due);
  const signed = await asSystem(s.service.db, (tx) =>
    rows(
      tx,
      sql<{ actor_kind: string; hash: string }>(
        "select actor_kind, changes->>'hash' as hash from audit_log where clinic_id = $1 and action = 'clinical_note.signed'",
      ),
      [id],
    ),
  );
  expect(signed).toEqual([{ actor_kind: 'service', hash: due.hash }]);
});

test('search ignores accents, case and endings, finds amendments, and stays within the clinic', async () => {
  const { patientId, author, write } = await practice();
  const extraction = await write('Se realizaron dos extracciones sin complicación; el niño toleró bien.');
  const pain = await write('Dolor al frío en 36.', { tooth: 36 });
  await notes().signClinicalNote({ patientId, id: pain.id }, author);
  await notes().amendClinicalNote({ patientId, id: pain.id, text: 'Prueba de percusión positiva.' }, author);
  const elsewhere = await practice();
  await elsewhere.write('Extracción en otra clínica');
  const find = async (search: string, more: object = {}) => (await notes().listClinicalNotes({ search, ...more }, author)).notes.map(({ id }) => id);
  expect(await find('extraccion')).toEqual([extraction.id]);
  expect(await find('EXTRACCIÓN COMPLICACIONES')).toEqual([extraction.id]);
  expect(await find('dolor frio', { patientId })).toEqual([pain.id]);
  expect(await find('percusiones')).toEqual([pain.id]);
  expect(await find('"dolor al frío"')).toEqual([pain.id]);
  expect(await find('extracción -niño')).toEqual([]);
  expect(await find('nino')).toEqual([]); // ñ is a letter of its own
  const decomposed = await write('Atención del niño'.normalize('NFD'));
  expect([await find('atencion'), await find('niño atención'), await find('nino')]).toEqual([[decomposed.id], [decomposed.id], []]);
  await notes().deleteClinicalNote({ patientId, id: decomposed.id }, author);
  expect(await find('!!! & |')).toEqual([]);
  expect(await find('', { tooth: 36, from: '2026-06-01', to: '2026-06-01', authorId: pain.authorId })).toEqual([pain.id]);
  expect(await find('', { from: '2026-06-02' })).toEqual([]);
  expect(await notes().listClinicalNotes({ limit: 1 }, author)).toMatchObject({ total: 2, notes: [{ id: pain.id }] });
});

test('of more matches than the search returns, it finds the newest, and those of one patient in spite of newer ones of others', async () => {
  const { id, doctor, patientId, author, write } = await practice();
  const old = await write('Control de ortodoncia');
  const other = await s.appointments.bookAppointment(s.booking(doctor.id, '10:00'), s.asUser(id));
  await notes().createClinicalNote({ patientId: other.patientId, text: 'Control' }, author);
  const newest = await notes().createClinicalNote({ patientId: other.patientId, text: 'Control' }, author);
  expect(await findNotesByText(s.service.db, id, null, 'control', 1)).toEqual([newest.id]);
  expect(await findNotesByText(s.service.db, id, patientId, 'control', 1)).toEqual([old.id]);
  await expect(notes().listClinicalNotes({ patientId: 'x', search: 'control' }, author)).rejects.toMatchObject({ reason: 'NOT_FOUND' });
});

test('a merge shows the notes of both records, and a note is found only under its own patient', async () => {
  const { id, doctor, patientId, author, write } = await practice();
  const other = await s.appointments.bookAppointment(s.booking(doctor.id, '10:00'), s.asUser(id));
  const note = await write('Control');
  const missing = { reason: 'NOT_FOUND', message: 'Clinical note not found' };
  await expect(notes().getClinicalNote({ patientId: other.patientId, id: note.id }, author)).rejects.toMatchObject(missing);
  await expect(notes().getClinicalNote({ patientId, id: note.id }, s.asUser(randomUUID()))).rejects.toMatchObject(missing);
  await expect(write('x', { appointmentId: other.id })).rejects.toMatchObject({ reason: 'NOT_FOUND', message: 'Appointment not found' });
  await s.service.client(PatientFamilyService).mergePatients({ keepId: other.patientId, mergeId: patientId }, s.asAdmin(id));
  expect(await notes().listClinicalNotes({ patientId: other.patientId }, author)).toMatchObject({
    notes: [{ id: note.id, patients: { id: other.patientId } }],
  });
});

test.each(['a new note', 'an amendment'])('%s about an appointment locks it before the patient, as a merge does', async (what) => {
  const { booked, patientId, write, author } = await practice();
  const about = { appointmentId: booked.id };
  const { id } = await write('Control', about);
  await notes().signClinicalNote({ patientId, id }, author);
  const { ownerUrl } = s.service.database;
  const merging = new pg.Client({ connectionString: ownerUrl });
  await merging.connect();
  await merging.query('begin');
  await merging.query('select from scheduling.appointments where id = $1 for update', [booked.id]);
  const writing = what === 'a new note' ? write('Control', about) : notes().amendClinicalNote({ patientId, id, text: 'Control' }, author);
  await waitForLocked(ownerUrl);
  const locking = merging.query('select from scheduling.patients where id = $1 for update nowait', [patientId]);
  await locking.finally(() => merging.end());
  expect(await writing).toMatchObject(about);
});

test('teeth by FDI, and a hash that covers each field', () => {
  expect([11, 48, 51, 85].map(parseTooth)).toEqual([11, 48, 51, 85]);
  for (const wrong of [0, 19, 49, 56, 91, 10]) expect(() => parseTooth(wrong)).toThrow('tooth');
  const note = { id: 'a', patient_id: 'b', appointment_id: null, tooth: 11, amends: null, text: 't', author_id: 'u', created_at: MONDAY };
  const changes = [
    {},
    { id: 'x' },
    { patient_id: 'x' },
    { appointment_id: 'x' },
    { tooth: null },
    { amends: 'x' },
    { text: 'x' },
    { author_id: 'x' },
    { created_at: new Date(0) },
  ];
  expect(new Set(changes.map((change) => hashNote({ ...note, ...change }).toString('hex'))).size).toBe(changes.length);
});
