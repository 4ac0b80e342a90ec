// Signs notes, by hand or once 24 hours have passed, and amends signed ones. The audit log records the hash of each.
import { audit } from '@clinic/lib/audit/audit.ts';
import { asSystem, inTenant, type SystemTx, type TenantTx } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { job } from '@clinic/lib/jobs/jobs.ts';
import { type Caller, serviceCaller } from '@clinic/lib/rpc/caller.ts';
import { idempotent } from '@clinic/lib/rpc/idempotency.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import { type AmendClinicalNoteRequest, ClinicalNoteService, type SignClinicalNoteRequest } from '@clinic/proto/scheduling/v1/clinical_note_pb.js';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import { findNote, insertNote, lockAppointmentOf, lockDueNotes, lockNote, setSigned, toProto } from './clinical-notes.sql.ts';
import { DRAFT_MS, hashNote, isSigned, parseNote, requireAuthor, type SignedContent } from './note-rules.ts';

const NOUN = 'Clinical note';
const BATCH = 500;

export async function signClinicalNote(app: App, request: SignClinicalNoteRequest, call: Call) {
  if (!isUuid(request.patientId) || !isUuid(request.id)) fail('NOT_FOUND', `${NOUN} not found`);
  return inTenant(app.db, clinicOf(call).id, async (tx) => {
    const note = found(await lockNote(tx, request.patientId, request.id), NOUN);
    requireAuthor(note, call.caller);
    const now = app.clock.now();
    if (isSigned(note, now)) return toProto(note, now);
    return toProto({ ...note, ...(await sign(tx, tx.clinicId, call.caller, note, now, call.caller.id)) }, now);
  });
}

export async function amendClinicalNote(app: App, request: AmendClinicalNoteRequest, call: Call) {
  if (!isUuid(request.patientId) || !isUuid(request.id)) fail('NOT_FOUND', `${NOUN} not found`);
  const text = parseNote(request.text);
  return idempotent(app.db, call, ClinicalNoteService.method.amendClinicalNote, request, async (tx) => {
    const note = found(await lockNote(tx, request.patientId, request.id), NOUN);
    const now = app.clock.now();
    if (!isSigned(note, now)) fail('NOTE_NOT_SIGNED');
    const { patient_id, appointment_id, tooth } = note;
    const content = { id: v7(), patient_id, appointment_id, tooth, amends: note.id, text, author_id: call.caller.id, created_at: now };
    const hash = hashNote(content);
    await lockAppointmentOf(tx, appointment_id, note.shown_patient_id); // before the foreign keys lock the patient
    await insertNote(tx, { ...content, signed_at: now, signed_by: call.caller.id, hash });
    await audit(tx, tx.clinicId, call.caller, {
      action: 'clinical_note.amended',
      entityId: note.id,
      changes: { amendment_id: content.id, hash: hash.toString('hex') },
    });
    return toProto(found(await findNote(tx, request.patientId, note.id), NOUN), now);
  });
}

export const signDueNotesJob = ({ db, clock }: Pick<App, 'db' | 'clock'>) =>
  job('sign-due-notes', { cron: '*/5 * * * *' }, async () => {
    // As the system: notes of all clinics.
    const signBatch = () =>
      asSystem(db, async (tx) => {
        const due = await lockDueNotes(tx, new Date(clock.now().getTime() - DRAFT_MS), BATCH);
        for (const note of due) await sign(tx, note.clinic_id, serviceCaller('scheduling', ''), note, new Date(note.created_at.getTime() + DRAFT_MS), null);
        return due.length;
      });
    while ((await signBatch()) === BATCH);
  });

async function sign(tx: TenantTx | SystemTx, clinicId: string, caller: Caller, note: SignedContent, signed_at: Date, signed_by: string | null) {
  const signature = { signed_at, signed_by, hash: hashNote(note) };
  await setSigned(tx, clinicId, note.id, signature);
  await audit(tx, clinicId, caller, { action: 'clinical_note.signed', entityId: note.id, changes: { hash: signature.hash.toString('hex') } });
  return signature;
}
