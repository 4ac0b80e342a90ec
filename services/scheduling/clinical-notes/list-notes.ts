// Notes of a patient or of the clinic, with full-text search.
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { parsePage } from '@clinic/lib/formats/page.ts';
import { parseOptionalText } from '@clinic/lib/formats/text.ts';
import { isUuid, parseUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetClinicalNoteRequest, ListClinicalNotesRequest } from '@clinic/proto/scheduling/v1/clinical_note_pb.js';
import type { App } from '../app.ts';
import { parsePeriod } from '../clinics/parse-period.ts';
import { requireRecord } from '../patient-records/records.sql.ts';
import { findNote, findNotesByText, listNotes, toProto } from './clinical-notes.sql.ts';
import { NOTE_STATUSES, parseTooth } from './note-rules.ts';

export async function listClinicalNotes(app: App, request: ListClinicalNotesRequest, call: Call) {
  const { id: clinicId, timezone } = clinicOf(call);
  const page = parsePage(request, 50, 500);
  const { patientId, appointmentId, tooth, authorId, status } = request;
  const search = parseOptionalText('search', request.search, 200);
  const filter = {
    patientId: patientId ?? null,
    appointmentId: appointmentId === undefined ? null : parseUuid('appointment_id', appointmentId),
    tooth: tooth === undefined ? null : parseTooth(tooth),
    authorId: authorId === undefined ? null : parseUuid('author_id', authorId),
    status: status === undefined ? null : parseOneOf('status', status, NOTE_STATUSES),
    ...parsePeriod(request, timezone),
  };
  if (patientId !== undefined) await requireRecord(app.db, clinicId, patientId);
  const ids = search === null ? null : await findNotesByText(app.db, clinicId, filter.patientId, search);
  const now = app.clock.now();
  const { rows, total } = await listNotes(app.db, clinicId, { ...filter, ids }, page, now);
  return { notes: rows.map((note) => toProto(note, now)), total, page: page.page, limit: page.limit };
}

export async function getClinicalNote(app: App, { patientId, id }: GetClinicalNoteRequest, call: Call) {
  if (!isUuid(patientId) || !isUuid(id)) fail('NOT_FOUND', 'Clinical note not found');
  const note = await inTenant(app.db, clinicOf(call).id, (tx) => findNote(tx, patientId, id));
  return toProto(found(note, 'Clinical note'), app.clock.now());
}
