// Consumers of scheduling's merges of patients: documents and tax profile move to the remaining record, and back when a merge is undone. Events may
// arrive in any order.
import { subscribe } from '@clinic/lib/events/events.ts';
import { PatientsMergedSchema, PatientsUnmergedSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import type { App } from '../app.ts';
import { followMerges, undoMerge } from './follow-merges.ts';
import { insertMerge, lockMerges, setUndone } from './sql/patient-merges.sql.ts';

export const onPatientsMerged = (app: App) =>
  subscribe('tax-documents-of-merged-patients', 'scheduling', PatientsMergedSchema, async (tx, { mergeId, keptId, mergedId }, { clinicId }) => {
    await lockMerges(tx, clinicId);
    // Nothing is moved when the undo has already arrived.
    if (!(await insertMerge(tx, { clinic_id: clinicId, merge_id: mergeId, kept_id: keptId, merged_id: mergedId }, false))) return;
    await followMerges(app, tx, clinicId, mergedId);
  });

/** Only what the merge moved goes back; documents issued since then stay. */
export const onPatientsUnmerged = (app: App) =>
  subscribe('tax-documents-of-unmerged-patients', 'scheduling', PatientsUnmergedSchema, async (tx, { mergeId, keptId, mergedId }, { clinicId }) => {
    await lockMerges(tx, clinicId);
    const merge = { clinic_id: clinicId, merge_id: mergeId, kept_id: keptId, merged_id: mergedId };
    if (await insertMerge(tx, merge, true)) return;
    const undone = await setUndone(tx, merge);
    if (undone) await undoMerge(app, tx, undone);
  });
