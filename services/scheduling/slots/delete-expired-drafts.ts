// Deletes slot drafts a day after they expired. Expired drafts hold no slot. Those of before the clock was set back would hold it too long.

import type { Clock } from '@clinic/lib/clock/clock.ts';
import { asSystem, type Db } from '@clinic/lib/db/db.ts';
import { job } from '@clinic/lib/jobs/jobs.ts';
import { deleteExpiredDrafts } from './slot-drafts.sql.ts';

const DAY_MS = 24 * 3_600_000;
/** No user holds a slot for this long. */
const MAX_HOLD_MS = 15 * 60_000;

export const deleteExpiredDraftsJob = ({ db, clock }: { db: Db; clock: Clock }) =>
  job('delete-expired-drafts', { cron: '17 * * * *' }, async () => {
    // As the system: drafts of all clinics.
    const now = clock.now().getTime();
    await asSystem(db, (tx) => deleteExpiredDrafts(tx, new Date(now - DAY_MS), new Date(now + MAX_HOLD_MS)));
  });
