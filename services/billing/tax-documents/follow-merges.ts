// Moves the tax documents and the tax profile of merged patients to the patients who remain, and back when a merge is undone. Each merge stores what it
// moved. The caller of followMerges() and undoMerge() has called lockMerges().
import { asSystem, type SystemTx } from '@clinic/lib/db/db.ts';
import { emit } from '@clinic/lib/events/outbox.ts';
import { job } from '@clinic/lib/jobs/jobs.ts';
import { TaxDocumentChangedSchema } from '@clinic/proto/events/v1/dte_pb.js';
import type { App } from '../app.ts';
import { placeProfiles } from './rules/profile-places.ts';
import {
  addMoved,
  findMergeOf,
  listOwners,
  listToFollow,
  lockDocumentsOf,
  lockMerges,
  lockProfiles,
  type MergeRow,
  moveDocuments,
  moveProfiles,
  removeMoved,
  setMovedProfiles,
} from './sql/patient-merges.sql.ts';
import { toChangedEvent } from './to-tax-document.ts';

type Dependencies = Pick<App, 'keys' | 'clock'>;

/** Moves everything of a patient from merge to merge, up to the patient who was not merged. `undoing`: the id of the merge that is being undone. */
export async function followMerges(app: Dependencies, tx: SystemTx, clinicId: string, patientId: string, undoing: string | null = null): Promise<void> {
  await lockDocumentsOf(tx, clinicId, patientId);
  for (let merge = await findMergeOf(tx, clinicId, patientId); merge; merge = await findMergeOf(tx, clinicId, merge.kept_id))
    await addMoved(tx, merge, { documents: await move(tx, clinicId, merge.merged_id, merge.kept_id, null) });
  const { merges, holders } = await lockProfiles(tx, clinicId, patientId, undoing);
  const { moves, merge_ids } = placeProfiles(merges, holders);
  await moveProfiles(tx, app.keys, clinicId, moves, app.clock.now());
  await setMovedProfiles(tx, clinicId, merges, merge_ids);
}

/**
 * Moves back what a merge has moved, also what a later merge has moved on: of two merges, the later one is always undone first, even if its event is
 * handled last.
 */
export async function undoMerge(app: Dependencies, tx: SystemTx, merge: MergeRow): Promise<void> {
  const { clinic_id, merge_id, merged_id, documents } = merge;
  await lockDocumentsOf(tx, clinic_id, merged_id);
  for (const { patient_id } of await listOwners(tx, merge)) if (patient_id !== merged_id) await move(tx, clinic_id, patient_id, merged_id, documents);
  await removeMoved(tx, merge, merge); // also those that a later merge has already moved back to this patient
  await followMerges(app, tx, clinic_id, merged_id, merge_id);
}

/** Moves all documents of `from`, or only those with these ids, and publishes them. Returns the ids of the moved documents. */
async function move(tx: SystemTx, clinicId: string, from: string, to: string, ids: string[] | null): Promise<string[]> {
  const documents = await moveDocuments(tx, clinicId, from, to, ids);
  for (const row of documents) await emit(tx, clinicId, TaxDocumentChangedSchema, toChangedEvent(row));
  return documents.map(({ id }) => id);
}

export const followMergesJob = (app: App) => job('follow-patient-merges', { cron: '*/5 * * * *', retries: 0 }, () => followAllMerges(app));

/**
 * Moves what was added to a merged patient after its merge was handled: by requests that found the patient before the merge, and committed later. A
 * patient whose documents cannot be moved does not delay the others.
 */
export async function followAllMerges(app: Dependencies & Pick<App, 'db' | 'log'>): Promise<void> {
  // As the system: over all clinics.
  for (const { clinic_id, merged_id } of await asSystem(app.db, listToFollow))
    await asSystem(app.db, async (tx) => {
      await lockMerges(tx, clinic_id);
      await followMerges(app, tx, clinic_id, merged_id);
    }).catch((error: unknown) =>
      app.log.warn({ err: error, clinicId: clinic_id }, 'documents of a merged patient could not be moved; the next run tries again'),
    );
}
