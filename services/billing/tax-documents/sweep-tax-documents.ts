// What is left over: documents whose handover was cut off, those issued while the authority was away, and invalidations without
// an answer.
import { randomUUID } from 'node:crypto';
import { asSystem, inTenant } from '@clinic/lib/db/db.ts';
import { job } from '@clinic/lib/jobs/jobs.ts';
import { serviceCaller } from '@clinic/lib/rpc/caller.ts';
import type { App } from '../app.ts';
import { handOver } from './hand-over.ts';
import { readyIssuer } from './get-issuer.ts';
import { recover } from './end-contingency.ts';
import { listOpenInvalidations } from './sql/authority-events.sql.ts';
import { listClinicsInContingency, listUnsettled } from './sql/unsettled-documents.sql.ts';
import { tellInvalidation } from './send-invalidation.ts';

const BATCH = 200;
const WAIT_MS = 60_000;
const LANES = 4;
/** Longer than the call takes that asked for it. */
const CALL_MS = 30_000;

/** Each minute. */
export const sweepTaxDocuments = (app: App) => job('sweep-tax-documents', { cron: '* * * * *', retries: 0, limitSeconds: 1_800 }, () => sweep(app));

/** A clinic that fails does not hold up the others; its turn comes again. */
export async function sweep(app: App): Promise<void> {
  // As the system: over all clinics.
  const unsettled = await asSystem(app.db, (tx) => listUnsettled(tx, app.clock.now(), BATCH));
  await eachClinic(
    app,
    Map.groupBy(unsettled, ({ clinic_id }) => clinic_id),
    async (clinicId, documents) => {
      for (const { id } of documents) if ((await handOver(app, clinicId, id, WAIT_MS)) === 'open') return;
    },
  );
  const away = await asSystem(app.db, (tx) => listClinicsInContingency(tx, BATCH));
  await eachClinic(app, new Map(away.map(({ clinic_id }) => [clinic_id, undefined])), (clinicId) => recover(app, clinicId));
  const open = await asSystem(app.db, (tx) => listOpenInvalidations(tx, new Date(app.clock.now().getTime() - CALL_MS), BATCH));
  await eachClinic(
    app,
    Map.groupBy(open, ({ clinic_id }) => clinic_id),
    async (clinicId, events) => {
      const ready = await inTenant(app.db, clinicId, (tx) => readyIssuer(app, tx));
      const caller = serviceCaller('billing', randomUUID());
      for (const event of events) if (!(await tellInvalidation(app, clinicId, ready, event, caller, WAIT_MS))) return;
    },
  );
}

async function eachClinic<T>(app: App, clinics: Map<string, T>, work: (clinicId: string, of: T) => Promise<void>): Promise<void> {
  const left = [...clinics];
  // Some at a time: while the authority is away, each waits for it.
  const lane = async () => {
    for (let next = left.shift(); next; next = left.shift()) {
      const [clinicId, of] = next;
      await work(clinicId, of).catch((error: unknown) => app.log.warn({ err: error, clinicId }, 'tax documents wait for the next sweep'));
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}
