// Deletes the contents of files whose rows are gone, and uploads that were never finished.
import { asSystem } from '@clinic/lib/db/db.ts';
import { job } from '@clinic/lib/jobs/jobs.ts';
import type { App } from '../app.ts';
import { objectKey } from './content-keys.ts';
import { deleteUnstored, forgetDeleted, listDeleted } from './files.sql.ts';

const BATCH = 500;
/** Longer than a call takes. */
const UPLOAD_MS = 3_600_000;

export const deleteFilesJob = ({ db, clock, files }: Pick<App, 'db' | 'clock' | 'files'>) =>
  job('delete-files', { cron: '*/5 * * * *' }, async () => {
    // As the system: files of all clinics.
    await asSystem(db, (tx) => deleteUnstored(tx, new Date(clock.now().getTime() - UPLOAD_MS)));
    for (let deleted: { clinic_id: string; id: string }[] | undefined; deleted?.length !== 0; ) {
      deleted = await asSystem(db, (tx) => listDeleted(tx, BATCH));
      for (const one of deleted) {
        await files.delete(objectKey(one.clinic_id, one.id));
        await asSystem(db, (tx) => forgetDeleted(tx, one));
      }
    }
  });
