// Takeovers that have gone silent are over by themselves; this tells those who look on.
import { inTenant } from '@clinic/lib/db/db.ts';
import { job } from '@clinic/lib/jobs/jobs.ts';
import type { App } from '../app.ts';
import { emitUpdated, endSilentTakeovers, listClinicsWithEndedTakeovers } from './conversations.sql.ts';

export const endTakeoversJob = (app: App) =>
  job('end-takeovers', { cron: '*/5 * * * *', retries: 0 }, async () => {
    const now = app.clock.now();
    for (const { clinic_id } of await listClinicsWithEndedTakeovers(app.db, now)) {
      await inTenant(app.db, clinic_id, async (tx) => {
        for (const conversation of await endSilentTakeovers(tx, now)) await emitUpdated(tx, conversation, 'release', now);
      });
    }
  });
