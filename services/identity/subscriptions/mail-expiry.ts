// Has messaging tell the admins of a clinic that its subscription ends soon.

import { readSystem } from '@clinic/lib/db/db.ts';
import { job } from '@clinic/lib/jobs/jobs.ts';
import { serviceCaller } from '@clinic/lib/rpc/caller.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import type { App } from '../app.ts';
import { MAIL_EXPIRY } from './expiry-warning-rules.ts';
import { listWarnedStatement } from './expiry-warnings.sql.ts';

type Warning = { clinicId: string; daysLeft: number; expiresAt: string };

/** Repeats are harmless: messaging knows each mail by its reference. As the system: nobody of the clinic is asking. */
export const mailExpiry = (app: App) =>
  job<Warning>(MAIL_EXPIRY, {}, async ({ clinicId, daysLeft, expiresAt }) => {
    const expires = new Date(expiresAt);
    if (expires <= app.clock.now()) return;
    for (const { id, email, full_name, clinic_name, timezone } of await readSystem(app.db, listWarnedStatement, [clinicId, expires])) {
      const day = new Intl.DateTimeFormat('es', { dateStyle: 'long', timeStyle: 'short', timeZone: timezone }).format(expires);
      const parameters = { name: full_name, clinic: clinic_name, days: String(daysLeft), expires: day };
      const reference = `${clinicId}/${id}/${expiresAt}/${daysLeft}`;
      await app.mail.sendMail({ kind: 'subscription_expiring', to: email, parameters, reference }, callAs(serviceCaller('identity', clinicId)));
    }
  });
