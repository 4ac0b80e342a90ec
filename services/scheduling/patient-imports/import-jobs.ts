// The job of an import that takes longer than a request or whose process has ended, and the deletion of old imports.
import { asSystem } from '@clinic/lib/db/db.ts';
import { job } from '@clinic/lib/jobs/jobs.ts';
import type { App } from '../app.ts';
import type { Kind } from './import-kind.ts';
import { deleteOldImports } from './patient-imports.sql.ts';
import { runImport } from './run-import.ts';

const DAY_MS = 86_400_000;
const RETENTION_DAYS = 30;

export const importJob = (app: App, kind: Kind) =>
  job<{ clinicId: string; importId: string }>(kind.job, { limitSeconds: 1_800 }, (ref) => runImport(app, kind, ref));

/** Incomplete uploads are deleted after a day, finished imports after 30 days. */
export const deleteOldImportsJob = ({ db, clock }: Pick<App, 'db' | 'clock'>) =>
  job('delete-old-patient-imports', { daily: { at: '03:37', timezone: 'UTC' } }, async () => {
    const now = clock.now().getTime();
    // As the system: imports of all clinics.
    await asSystem(db, (tx) => deleteOldImports(tx, new Date(now - RETENTION_DAYS * DAY_MS), new Date(now - DAY_MS)));
  });
