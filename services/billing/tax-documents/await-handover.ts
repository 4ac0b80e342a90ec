// What a caller who issues a document waits for: that it is handed over, within the time that a call has.
import { setTimeout as sleep } from 'node:timers/promises';
import { inTenant } from '@clinic/lib/db/db.ts';
import { found, ServiceError } from '@clinic/lib/errors/errors.ts';
import { enqueue } from '@clinic/lib/jobs/jobs.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { App } from '../app.ts';
import { handOver } from './hand-over.ts';
import { HAND_OVER_TAX_DOCUMENT } from './queues.ts';
import { showDocument } from './to-tax-document.ts';
import { type DocumentRow, findDocument } from './sql/documents.sql.ts';

/** What is left of the call for reading and answering. */
const RESERVE_MS = 700;
const LOOK_MS = 100;

/** The document as it stands then. Throws DTE_REJECTED when it was refused. */
export async function finish(app: App, call: Call, clinicId: string, id: string) {
  const left = () => call.deadline - RESERVE_MS - Date.now();
  const progress = await handOver(app, clinicId, id, left());
  // No time left: a job goes on.
  if (progress === 'open') await inTenant(app.db, clinicId, (tx) => enqueue(tx, HAND_OVER_TAX_DOCUMENT, { clinicId, documentId: id }));
  let row = await read(app, clinicId, id);
  while (progress === 'busy' && row.status === 'pending' && left() > 0) {
    await sleep(LOOK_MS);
    row = await read(app, clinicId, id);
  }
  if (row.status === 'rejected') throw rejected(row.observations, id);
  return showDocument(app, clinicId, row);
}

const read = async (app: App, clinicId: string, id: string): Promise<DocumentRow> =>
  found(await inTenant(app.db, clinicId, (tx) => findDocument(tx, id)), 'Document');

/** With what the authority said, and the id of the document that is kept. */
export function rejected(observations: string[], id: string): ServiceError {
  const details = observations.map((message, index) => ({ path: `observations.${index}`, message }));
  return new ServiceError('DTE_REJECTED', undefined, [...details, { path: 'document', message: id }]);
}
