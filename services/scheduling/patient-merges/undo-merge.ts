// Lists the merges of the last 30 days, and undoes them.
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { emit } from '@clinic/lib/events/outbox.ts';
import { parsePage } from '@clinic/lib/formats/page.ts';
import { isUuid, parseUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import { PatientsUnmergedSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import type { ListMergesRequest, UndoMergeRequest } from '@clinic/proto/scheduling/v1/patient_family_pb.js';
import type { App } from '../app.ts';
import { mergedInto } from '../patient-records/merged-record-rules.ts';
import { publishUpdated } from '../patients/publish-patients.ts';
import { publishMoves } from './merge-patients.ts';
import { noShowsAfterUndo } from './merge-rules.ts';
import { findMerge, listMerges as list, lockPair, moveBack, setUndone, toMerge, undoUntil, unmergeFields } from './patient-merges.sql.ts';

export async function listMerges(app: App, request: ListMergesRequest, call: Call) {
  const page = parsePage(request, 50, 500);
  const patientId = request.patientId === '' ? null : parseUuid('patient_id', request.patientId);
  const { rows, total } = await list(app.db, clinicOf(call).id, patientId, page, app.clock.now());
  return { merges: rows.map(toMerge), total, page: page.page, limit: page.limit };
}

/** The rows that the merge moved go back, rows added since stay with the remaining patient. */
export async function undoMerge(app: App, request: UndoMergeRequest, call: Call) {
  const clinic = clinicOf(call);
  if (!isUuid(request.id)) fail('NOT_FOUND', 'Merge not found');
  return inTenant(app.db, clinic.id, async (tx) => {
    const now = app.clock.now();
    const merge = found(await findMerge(tx, request.id), 'Merge');
    if (undoUntil(merge) <= now) fail('MERGE_NOT_UNDOABLE', 'A merge can be undone for 30 days');
    const patients = await lockPair(tx, [merge.kept_id, merge.merged_id]);
    const merged = found(patients.get(merge.merged_id), 'Patient');
    const undone = (await setUndone(tx, merge.id, now)) ?? fail('MERGE_NOT_UNDOABLE', 'The merge was undone already');
    const { merged_into } = merged;
    if (merged_into && merged_into !== merge.kept_id)
      fail('MERGE_NOT_UNDOABLE', `The records were merged into patient ${merged_into} later: undo that merge first`, mergedInto(merged_into));
    const moved = await moveBack(tx, undone, now);
    const noShows = noShowsAfterUndo(merged.no_show_count, merge.missed, moved.appointments.filter(({ status }) => status === 'no_show').length);
    const changed = await unmergeFields(tx, undone, noShows, now);
    await Promise.all([
      ...changed.map((patient) => publishUpdated(tx, clinic.id, patient)),
      publishMoves(tx, clinic.timezone, moved, merge.kept_id),
      emit(tx, clinic.id, PatientsUnmergedSchema, { mergeId: merge.id, keptId: merge.kept_id, mergedId: merge.merged_id }),
      audit(tx, clinic.id, call.caller, { action: 'patient.merge_undone', entityId: merge.kept_id, changes: { merge_id: merge.id } }),
    ]);
    return toMerge(undone);
  });
}
