// Each minute: the reminders whose time has come.
import { job } from '@clinic/lib/jobs/jobs.ts';
import type { App } from '../app.ts';
import { sendDueReminders } from './send-due.ts';

const BATCH = 500;

export const sendRemindersJob = (app: App) =>
  job('send-reminders', { cron: '* * * * *', retries: 0 }, async () => {
    // A full batch means that there is more; one that cannot be sent must not be looked at for ever.
    for (let round = 0; round < 20 && (await sendDueReminders(app)) === BATCH; round++);
  });
