// Hands an issued document over to the authority and waits for the outcome, within the time of the call.
import { setTimeout as sleep } from 'node:timers/promises';
import { inTenant } from '@clinic/lib/db/db.ts';
import { found, ServiceError } from '@clinic/lib/errors/errors.ts';
import { enqueue } from '@clinic/lib/jobs/jobs.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { App } from '../app.ts';
import { HAND_OVER_TAX_DOCUMENT, handOver } from './hand-over.ts';
import { type DocumentRow, findDocument } from './sql/documents.sql.ts';
import { toTaxDocument } from './to-tax-document.ts';

/** Reserved for reading the document and responding. */
const RESERVE_MS = 700;
const POLL_MS = 100;

/** Milliseconds that the call may still wait for the authority. */
export const timeLeft = (call: Call): number => call.deadline - RESERVE_MS - Date.now();

/** Returns the document with its status at the end of the wait. Throws DTE_REJECTED when the authority has rejected it. */
export async function awaitHandover(app: App, call: Call, clinicId: string, id: string) {
  const progress = await handOver(app, clinicId, id, timeLeft(call));
  // Without an outcome, a job continues.
  if (progress === 'open') await inTenant(app.db, clinicId, (tx) => enqueue(tx, HAND_OVER_TAX_DOCUMENT, { clinicId, documentId: id }));
  let row = await get(app, clinicId, id);
  while (progress === 'busy' && row.status === 'pending' && timeLeft(call) > 0) {
    await sleep(POLL_MS);
    row = await get(app, clinicId, id);
  }
  if (row.status === 'rejected') throw rejection(row.observations, id);
  return toTaxDocument(app, clinicId, row);
}

const get = async (app: App, clinicId: string, id: string): Promise<DocumentRow> =>
  found(await inTenant(app.db, clinicId, (tx) => findDocument(tx, id)), 'Document');

/** DTE_REJECTED with the observations of the authority and the id of the stored document. */
export function rejection(observations: string[], id: string): ServiceError {
  const details = observations.map((message, index) => ({ path: `observations.${index}`, message }));
  return new ServiceError('DTE_REJECTED', undefined, [...details, { path: 'document', message: id }]);
}
