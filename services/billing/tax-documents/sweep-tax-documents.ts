// Finishes interrupted work every minute: handovers, documents in contingency, and invalidations without an answer.
import { randomUUID } from 'node:crypto';
import { asSystem, inTenant, type TenantTx } from '@clinic/lib/db/db.ts';
import { enqueue, job } from '@clinic/lib/jobs/jobs.ts';
import { serviceCaller } from '@clinic/lib/rpc/caller.ts';
import type { App } from '../app.ts';
import { isDecision } from './authority/authority-client.ts';
import { endContingency } from './end-contingency.ts';
import { getReadyIssuer } from './get-issuer.ts';
import { handOver } from './hand-over.ts';
import { sendInvalidation } from './send-invalidation.ts';
import { listPendingInvalidations } from './sql/authority-events.sql.ts';
import { listClinicsInContingency, listInterrupted } from './sql/unsettled-documents.sql.ts';

const BATCH = 200;
const TIMEOUT_MS = 60_000;
/** Clinics that are processed concurrently: while the authority is unavailable, each of them waits for it. */
const CONCURRENCY = 4;
/** Longer than the call that created the invalidation takes. */
const CALL_MS = 15_000;

const SWEEP_TAX_DOCUMENTS = 'sweep-tax-documents';

export const sweepTaxDocuments = (app: App) => job(SWEEP_TAX_DOCUMENTS, { cron: '* * * * *', retries: 0, limitSeconds: 1_800 }, () => sweep(app));

export async function sweep(app: App): Promise<void> {
  // As the system: over all clinics.
  const interrupted = await asSystem(app.db, (tx) => listInterrupted(tx, app.clock.now(), BATCH));
  await forEachClinic(app, interrupted, async (clinicId, documents) => {
    for (const { id } of documents) if ((await handOver(app, clinicId, id, TIMEOUT_MS)) === 'open') return;
  });
  const inContingency = await asSystem(app.db, (tx) => listClinicsInContingency(tx, BATCH));
  await forEachClinic(app, inContingency, (clinicId) => endContingency(app, clinicId));
  const pending = await asSystem(app.db, (tx) => listPendingInvalidations(tx, new Date(app.clock.now().getTime() - CALL_MS), BATCH));
  await forEachClinic(app, pending, async (clinicId, events) => {
    const ready = await inTenant(app.db, clinicId, (tx) => getReadyIssuer(app, tx));
    const caller = serviceCaller('billing', randomUUID());
    for (const event of events) if (!isDecision(await sendInvalidation(app, clinicId, ready, event, caller, TIMEOUT_MS))) return;
  });
}

/** Queues the sweep that sends an invalidation if the process that is about to do so is killed. */
export const invalidateAfterKill = (tx: TenantTx) => enqueue(tx, SWEEP_TAX_DOCUMENTS, {}, { startAfter: new Date(Date.now() + CALL_MS) });

/** A clinic whose work fails does not delay the others; it is tried again by the next sweep. */
async function forEachClinic<T extends { clinic_id: string }>(app: App, rows: T[], work: (clinicId: string, rows: T[]) => Promise<void>): Promise<void> {
  const queue = [...Map.groupBy(rows, ({ clinic_id }) => clinic_id)];
  const worker = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const [clinicId, own] = next;
      await work(clinicId, own).catch((error: unknown) =>
        app.log.warn({ err: error, clinicId }, 'the sweep of tax documents failed for a clinic; the next sweep tries again'),
      );
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
}
