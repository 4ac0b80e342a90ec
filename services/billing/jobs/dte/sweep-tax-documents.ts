// What is left over: documents whose handover was cut off, and those issued while the authority was away.
import { asSystem } from '@clinic/lib/db.ts';
import { job } from '@clinic/lib/jobs.ts';
import type { DteApp } from '../../dte/app.ts';
import { handOver } from '../../dte/hand-over.ts';
import { recover } from '../../dte/recover.ts';
import { listClinicsInContingency, listUnsettled } from '../../sql/dte/documents.ts';

const BATCH = 200;
const WAIT_MS = 60_000;

/** Each minute. */
export const sweepTaxDocuments = (app: DteApp) => job('sweep-tax-documents', { cron: '* * * * *', retries: 0, limitSeconds: 1_800 }, () => sweep(app));

/** A clinic that fails does not hold up the others; its turn comes again. */
export async function sweep(app: DteApp): Promise<void> {
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
}

async function eachClinic<T>(app: DteApp, clinics: Map<string, T>, work: (clinicId: string, of: T) => Promise<void>): Promise<void> {
  for (const [clinicId, of] of clinics) {
    await work(clinicId, of).catch((error: unknown) => app.log.warn({ err: error, clinicId }, 'tax documents wait for the next sweep'));
  }
}
