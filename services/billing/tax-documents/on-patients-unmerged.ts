// A merge was undone: what it had moved goes back, what came since stays.
import { subscribe } from '@clinic/lib/events/events.ts';
import { PatientsUnmergedSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import type { App } from '../app.ts';
import { moveAndTell } from './patient-merges.ts';
import { insertMerge, undoMerge } from './sql/patient-merges.sql.ts';

export const onPatientsUnmerged = (app: App) =>
  subscribe('tax-documents-of-unmerged-patients', 'scheduling', PatientsUnmergedSchema, async (tx, { mergeId, keptId, mergedId }, { clinicId }) => {
    const merge = { clinicId, mergeId, keptId, mergedId };
    if (await insertMerge(tx, merge, true)) return;
    const moved = await undoMerge(tx, merge);
    if (moved) await moveAndTell(app, tx, { clinicId, from: keptId, to: mergedId }, moved);
  });
