// Connects numbers that were entered by hand, and tries again, each minute, those that could not be connected at once.
import { asSystem } from '@clinic/lib/db/db.ts';
import { job } from '@clinic/lib/jobs/jobs.ts';
import type { App } from '../app.ts';
import { claimDueBindings } from './channels.sql.ts';
import { finishBinding } from './finish-binding.ts';

const CLAIM_MS = 60_000;

export const finishBindingsJob = (app: App) =>
  job('finish-bindings', { cron: '* * * * *', retries: 0 }, async () => {
    const now = app.clock.now();
    // As the system: over all clinics.
    const due = await asSystem(app.db, (tx) => claimDueBindings(tx, now, new Date(now.getTime() + CLAIM_MS)));
    for (const { clinic_id } of due) await finishBinding(app, clinic_id);
  });
