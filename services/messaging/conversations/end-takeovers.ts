// A takeover ends automatically after TAKEOVER_MS without a message. This job publishes its end, so that screens show it.
import { inTenant } from '@clinic/lib/db/db.ts';
import { job } from '@clinic/lib/jobs/jobs.ts';
import type { App } from '../app.ts';
import { sweep } from '../clinics/sweep.ts';
import { emitAllUpdated, endSilentTakeovers, listClinicsWithEndedTakeovers } from './conversations.sql.ts';

export const endTakeoversJob = (app: App) =>
  job('end-takeovers', { cron: '*/5 * * * *', retries: 0 }, async () => {
    const now = app.clock.now();
    const end = ({ clinic_id }: { clinic_id: string }) =>
      inTenant(app.db, clinic_id, async (tx) => emitAllUpdated(tx, await endSilentTakeovers(tx, now), 'release', now));
    const clinics = await listClinicsWithEndedTakeovers(app.db, now);
    await sweep(app, clinics, 'the takeovers of a clinic could not be ended', end, ({ clinic_id }) => ({ clinicId: clinic_id }));
  });
