// When a merge is undone, the records that it moved go back; records created since then stay.
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
