// When two patients are merged, the dental records of the merged patient move to the remaining one, and back when the merge is undone. Events may arrive
// in any order.
import { subscribe } from '@clinic/lib/events/events.ts';
import { PatientsMergedSchema, PatientsUnmergedSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import type { App } from '../app.ts';
import { insertMerge, lockMerges, setUndone } from '../patients/merges.sql.ts';
import { followMerges, undoMerge } from './follow-merges.ts';

export const onPatientsMerged = ({ clock }: Pick<App, 'clock'>) =>
  subscribe('records-of-merged-patients', 'scheduling', PatientsMergedSchema, async (tx, { mergeId, keptId, mergedId }, { clinicId }) => {
    await lockMerges(tx, clinicId);
    // Nothing is moved when the undo has already arrived.
    if (!(await insertMerge(tx, { clinic_id: clinicId, merge_id: mergeId, kept_id: keptId, merged_id: mergedId }, false))) return;
    await followMerges(tx, clinicId, mergedId, clock.now());
  });

/** Records created since the merge are not moved back. */
export const onPatientsUnmerged = ({ clock }: Pick<App, 'clock'>) =>
  subscribe('records-of-unmerged-patients', 'scheduling', PatientsUnmergedSchema, async (tx, { mergeId, keptId, mergedId }, { clinicId }) => {
    await lockMerges(tx, clinicId);
    const merge = { clinic_id: clinicId, merge_id: mergeId, kept_id: keptId, merged_id: mergedId };
    if (await insertMerge(tx, merge, true)) return;
    const undone = await setUndone(tx, merge);
    if (undone) await undoMerge(tx, undone, clock.now());
  });
