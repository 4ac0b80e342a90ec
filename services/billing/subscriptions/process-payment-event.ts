// Works on a kept event and has identity told at once. When identity is away the job is tried again, and after it the sweep.
import { job } from '@clinic/lib/jobs/jobs.ts';
import type { App } from '../app.ts';
import { tellIdentity } from './apply-to-identity.ts';
import { workEvent } from './process-event.ts';
import { WORK_PAYMENT_EVENT } from './queues.ts';

export const workPaymentEvent = (app: App) =>
  job<{ eventId: string }>(WORK_PAYMENT_EVENT, { retries: 5, limitSeconds: 60 }, async ({ eventId }) => {
    for (const clinicId of await workEvent(app, eventId)) await tellIdentity(app, clinicId);
  });
