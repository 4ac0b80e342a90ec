// Deletes slot drafts a day after they expired. Expired drafts hold no slot.

import { asSystem, type Db } from '@clinic/lib/db/db.ts';
import { job } from '@clinic/lib/jobs/jobs.ts';
import type { Clock } from '@clinic/lib/runtime/clock.ts';
import { deleteExpiredDrafts } from './slot-drafts.sql.ts';

const DAY_MS = 24 * 3_600_000;

export const deleteExpiredDraftsJob = ({ db, clock }: { db: Db; clock: Clock }) =>
  job('delete-expired-drafts', { cron: '17 * * * *' }, async () => {
    // As the system: drafts of all clinics.
    await asSystem(db, (tx) => deleteExpiredDrafts(tx, new Date(clock.now().getTime() - DAY_MS)));
  });
