// Drafts of clinical notes: their authors write, change and delete them.
import { audit, isUnchanged, maskChanges } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { isUuid, parseUuid } from '@clinic/lib/formats/uuid.ts';
import { idempotent } from '@clinic/lib/rpc/idempotency.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import {
  ClinicalNoteService,
  type CreateClinicalNoteRequest,
  type DeleteClinicalNoteRequest,
  type UpdateClinicalNoteRequest,
} from '@clinic/proto/scheduling/v1/clinical_note_pb.js';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import { lockRecord } from '../patient-records/records.sql.ts';
import { deleteDraft, findNote, insertNote, lockAppointmentOf, lockNote, toProto, UNSIGNED, updateNote } from './clinical-notes.sql.ts';
import { parseNote, parseTooth, requireOwnDraft } from './note-rules.ts';

const NOUN = 'Clinical note';

export async function createClinicalNote(app: App, request: CreateClinicalNoteRequest, call: Call) {
  if (!isUuid(request.patientId)) fail('NOT_FOUND', 'Patient not found');
  const text = parseNote(request.text);
  const tooth = request.tooth === undefined ? null : parseTooth(request.tooth);
  const appointmentId = request.appointmentId === undefined ? null : parseUuid('appointmentId', request.appointmentId);
  return idempotent(app.db, call, ClinicalNoteService.method.createClinicalNote, request, async (tx) => {
    const isOfPatient = await lockAppointmentOf(tx, appointmentId, request.patientId);
    const patientId = await lockRecord(tx, request.patientId);
    if (!isOfPatient) fail('NOT_FOUND', 'Appointment not found');
    const now = app.clock.now();
    const content = { appointment_id: appointmentId, tooth, amends: null, text, author_id: call.caller.id, created_at: now };
    const note = { id: v7(), patient_id: patientId, ...content, ...UNSIGNED };
    await insertNote(tx, note);
    await audit(tx, tx.clinicId, call.caller, { action: 'clinical_note.created', entityId: note.id, changes: { patient_id: patientId } });
    return toProto(found(await findNote(tx, patientId, note.id), NOUN), now);
  });
}

export async function updateClinicalNote(app: App, request: UpdateClinicalNoteRequest, call: Call) {
  if (!isUuid(request.patientId) || !isUuid(request.id)) fail('NOT_FOUND', `${NOUN} not found`);
  return inTenant(app.db, clinicOf(call).id, async (tx) => {
    const before = found(await lockNote(tx, request.patientId, request.id), NOUN);
    const now = app.clock.now();
    requireOwnDraft(before, call.caller, now);
    const after = {
      ...before,
      text: request.text === undefined ? before.text : parseNote(request.text),
      tooth: request.tooth === undefined ? before.tooth : request.tooth === 0 ? null : parseTooth(request.tooth),
      appointment_id:
        request.appointmentId === undefined ? before.appointment_id : request.appointmentId ? parseUuid('appointmentId', request.appointmentId) : null,
    };
    if (isUnchanged(before, after)) return toProto(before, now);
    const added = request.appointmentId ? after.appointment_id : null;
    if (!(await lockAppointmentOf(tx, added, before.shown_patient_id))) fail('NOT_FOUND', 'Appointment not found');
    await updateNote(tx, after, now);
    await audit(tx, tx.clinicId, call.caller, { action: 'clinical_note.updated', entityId: before.id, changes: maskChanges(before, after, ['text']) });
    return toProto({ ...after, updated_at: now }, now);
  });
}

export async function deleteClinicalNote(app: App, request: DeleteClinicalNoteRequest, call: Call) {
  if (!isUuid(request.patientId) || !isUuid(request.id)) fail('NOT_FOUND', `${NOUN} not found`);
  return inTenant(app.db, clinicOf(call).id, async (tx) => {
    const note = found(await lockNote(tx, request.patientId, request.id), NOUN);
    requireOwnDraft(note, call.caller, app.clock.now());
    await deleteDraft(tx, note.id);
    await audit(tx, tx.clinicId, call.caller, { action: 'clinical_note.deleted', entityId: note.id, changes: { patient_id: note.patient_id } });
    return { message: 'Clinical note deleted' };
  });
}
