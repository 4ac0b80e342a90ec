// An import as it stands, with the first of its faults.
import { inTenant } from '@clinic/lib/db/db.ts';
import { found } from '@clinic/lib/errors/errors.ts';
import type { App } from '../app.ts';
import { findImport, listFaults, toImport } from './patient-imports.sql.ts';

const SHOWN_FAULTS = 100;

/** One whose file is not whole yet is not there. */
export function readImport(app: App, clinicId: string, id: string) {
  return inTenant(app.db, clinicId, async (tx) => {
    const [job, faults] = await Promise.all([findImport(tx, id), listFaults(tx, id, 0, SHOWN_FAULTS)]);
    return toImport(found(job?.status === 'receiving' ? undefined : job, 'Import'), faults);
  });
}
