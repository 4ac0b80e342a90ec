// Expired drafts hold nothing; once an hour they are swept out.

import { asSystem, type Db } from '@clinic/lib/db/db.ts';
import { job } from '@clinic/lib/jobs/jobs.ts';
import type { Clock } from '@clinic/lib/runtime/clock.ts';
import { deleteExpiredDrafts } from './slot-drafts.sql.ts';

const DAY_MS = 24 * 3_600_000;

/** A day later, so that whoever still holds the id of one hears that it is over and not that it never was. */
export const deleteExpiredDraftsJob = ({ db, clock }: { db: Db; clock: Clock }) =>
  job('delete-expired-drafts', { cron: '17 * * * *' }, async () => {
    // As the system: drafts of all clinics.
    await asSystem(db, (tx) => deleteExpiredDrafts(tx, new Date(clock.now().getTime() - DAY_MS)));
  });
