// When two patients are merged, moves the dental records of the merged patient to the retained one.
import { subscribe } from '@clinic/lib/events/events.ts';
import { PatientsMergedSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import type { App } from '../app.ts';
import { movePatientRecords } from './move-patient-records.ts';
import { insertMerge, storeMovedRecords } from './patient-merges.sql.ts';

export const onPatientsMerged = ({ clock }: Pick<App, 'clock'>) =>
  subscribe('records-of-merged-patients', 'scheduling', PatientsMergedSchema, async (tx, { mergeId, keptId, mergedId }, { clinicId }) => {
    const merge = { clinicId, mergeId, keptId, mergedId };
    // Nothing is moved when the undo has already arrived: events may be out of order.
    if (!(await insertMerge(tx, merge, false))) return;
    await storeMovedRecords(tx, merge, await movePatientRecords(tx, clinicId, mergedId, keptId, undefined, clock.now()));
  });
