// When a merge is undone, moves back the records that the merge moved. Records created since then are not moved.
import { subscribe } from '@clinic/lib/events/events.ts';
import { PatientsUnmergedSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import type { App } from '../app.ts';
import { movePatientRecords } from './move-patient-records.ts';
import { insertMerge, undoMerge } from './patient-merges.sql.ts';

export const onPatientsUnmerged = ({ clock }: Pick<App, 'clock'>) =>
  subscribe('records-of-unmerged-patients', 'scheduling', PatientsUnmergedSchema, async (tx, { mergeId, keptId, mergedId }, { clinicId }) => {
    const merge = { clinicId, mergeId, keptId, mergedId };
    if (await insertMerge(tx, merge, true)) return;
    const moved = await undoMerge(tx, merge);
    if (moved) await movePatientRecords(tx, clinicId, keptId, mergedId, moved, clock.now());
  });
