// Deletes sessions and recoveries a day after they ended, throttles a day and known clients a year after their last use.
import { asSystem } from '@clinic/lib/db/db.ts';
import { job } from '@clinic/lib/jobs/jobs.ts';
import type { App } from '../app.ts';
import { purgeRecoveries } from '../credentials/recoveries.sql.ts';
import { purgeThrottles } from '../credentials/sign-in-throttles.sql.ts';
import { purgeClients } from './known-clients.sql.ts';
import { purgeFamilies } from './session-families.sql.ts';

const DAY_MS = 24 * 3_600_000;
/** How long an address or device stays known after its last use. */
const YEAR_MS = 365 * DAY_MS;
const BATCH = 1_000;

/** Every night at 03:20, in small transactions. As the system: over all clinics. */
export const purgeSessions = (app: App) =>
  job('purge-sessions', { daily: { at: '03:20' } }, async () => {
    const before = new Date(app.clock.now().getTime() - DAY_MS);
    let purged = 0;
    for (let last = BATCH; last === BATCH; purged += last) last = await asSystem(app.db, (tx) => purgeFamilies(tx, before, BATCH));
    await asSystem(app.db, async (tx) => {
      await purgeRecoveries(tx, before);
      await purgeThrottles(tx, before);
      await purgeClients(tx, new Date(app.clock.now().getTime() - YEAR_MS));
    });
    app.log.info({ purged }, 'purged sessions');
  });
