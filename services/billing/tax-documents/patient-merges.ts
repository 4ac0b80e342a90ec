// Moves what billing has of a patient to another one, and tells of the documents.
import type { SystemTx } from '@clinic/lib/db/db.ts';
import { emit } from '@clinic/lib/events/outbox.ts';
import { TaxDocumentChangedSchema } from '@clinic/proto/events/v1/dte_pb.js';
import type { App } from '../app.ts';
import { stateOf } from './to-tax-document.ts';
import { type Moved, moveDocuments, moveProfile } from './sql/patient-merges.sql.ts';

type Way = { clinicId: string; from: string; to: string };

/** All of `from`, or what an earlier merge had moved. Returns what moved. */
export async function moveAndTell(app: App, tx: SystemTx, { clinicId, from, to }: Way, these?: Moved): Promise<Moved> {
  const documents = await moveDocuments(tx, clinicId, from, to, these?.documents ?? null);
  for (const row of documents) await emit(tx, clinicId, TaxDocumentChangedSchema, stateOf(row));
  const profile = (these?.profile ?? true) && (await moveProfile(tx, app.keys, clinicId, from, to, app.clock.now()));
  return { documents: documents.map(({ id }) => id), profile };
}
