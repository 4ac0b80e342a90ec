// Goes on with a document for which a checkout had no time left.
import { job } from '@clinic/lib/jobs/jobs.ts';
import type { App } from '../app.ts';
import { handOver } from './hand-over.ts';
import { HAND_OVER_TAX_DOCUMENT } from './queues.ts';

const WAIT_MS = 60_000;

/** What stays open here is the sweep's. */
export const handOverTaxDocument = (app: App) =>
  job<{ clinicId: string; documentId: string }>(HAND_OVER_TAX_DOCUMENT, { retries: 0, limitSeconds: 120, concurrency: 2 }, async ({ clinicId, documentId }) => {
    await handOver(app, clinicId, documentId, WAIT_MS);
  });
