// Consumers of scheduling's merges of patients: documents and tax profile move to the remaining record, and back when a merge is undone.
import type { SystemTx } from '@clinic/lib/db/db.ts';
import { subscribe } from '@clinic/lib/events/events.ts';
import { emit } from '@clinic/lib/events/outbox.ts';
import { TaxDocumentChangedSchema } from '@clinic/proto/events/v1/dte_pb.js';
import { PatientsMergedSchema, PatientsUnmergedSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import type { App } from '../app.ts';
import { insertMerge, type Moved, moveDocuments, moveProfile, recordMoved, undoMerge } from './sql/patient-merges.sql.ts';
import { toChangedEvent } from './to-tax-document.ts';

export const onPatientsMerged = (app: App) =>
  subscribe('tax-documents-of-merged-patients', 'scheduling', PatientsMergedSchema, async (tx, { mergeId, keptId, mergedId }, { clinicId }) => {
    const merge = { clinicId, mergeId, keptId, mergedId };
    // Nothing is moved when the undo has already arrived: events may be out of order.
    if (!(await insertMerge(tx, merge, false))) return;
    await recordMoved(tx, merge, await move(app, tx, { clinicId, from: mergedId, to: keptId }));
  });

/** Only what the merge moved goes back; documents issued since then stay. */
export const onPatientsUnmerged = (app: App) =>
  subscribe('tax-documents-of-unmerged-patients', 'scheduling', PatientsUnmergedSchema, async (tx, { mergeId, keptId, mergedId }, { clinicId }) => {
    const merge = { clinicId, mergeId, keptId, mergedId };
    if (await insertMerge(tx, merge, true)) return;
    const moved = await undoMerge(tx, merge);
    if (moved) await move(app, tx, { clinicId, from: keptId, to: mergedId }, moved);
  });

/** Moves everything of `from`, or only `part` of it, and publishes the documents. Returns what moved. */
async function move(app: App, tx: SystemTx, { clinicId, from, to }: { clinicId: string; from: string; to: string }, part?: Moved): Promise<Moved> {
  const documents = await moveDocuments(tx, clinicId, from, to, part?.documents ?? null);
  for (const row of documents) await emit(tx, clinicId, TaxDocumentChangedSchema, toChangedEvent(row));
  const profile = (part?.profile ?? true) && (await moveProfile(tx, app.keys, clinicId, from, to, app.clock.now()));
  return { documents: documents.map(({ id }) => id), profile };
}
