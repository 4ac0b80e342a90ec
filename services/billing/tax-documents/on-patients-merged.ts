// Two records turned out to be of one person: tax documents and profile go where the visits went.
import { subscribe } from '@clinic/lib/events/events.ts';
import { PatientsMergedSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import type { App } from '../app.ts';
import { moveAndTell } from './patient-merges.ts';
import { insertMerge, rememberMoved } from './sql/patient-merges.sql.ts';

export const onPatientsMerged = (app: App) =>
  subscribe('tax-documents-of-merged-patients', 'scheduling', PatientsMergedSchema, async (tx, { mergeId, keptId, mergedId }, { clinicId }) => {
    const merge = { clinicId, mergeId, keptId, mergedId };
    // The undo may have come first.
    if (!(await insertMerge(tx, merge, false))) return;
    await rememberMoved(tx, merge, await moveAndTell(app, tx, { clinicId, from: mergedId, to: keptId }));
  });
