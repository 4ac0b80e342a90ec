// Mails the admins of a clinic that its subscription expires soon.
import { spanishInstant } from '@clinic/lib/formats/day-text.ts';
import { job } from '@clinic/lib/jobs/jobs.ts';
import { serviceCaller } from '@clinic/lib/rpc/caller.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import type { App } from '../app.ts';
import { MAIL_EXPIRY } from './expiry-rules.ts';
import { listRecipients } from './expiry-warnings.sql.ts';

type Warning = { clinicId: string; daysLeft: number; expiresAt: string };

/** Safe to repeat: messaging sends one mail per reference. */
export const mailExpiry = (app: App) =>
  job<Warning>(MAIL_EXPIRY, {}, async ({ clinicId, daysLeft, expiresAt }) => {
    const expires = new Date(expiresAt);
    if (expires <= app.clock.now()) return;
    for (const { id, email, full_name, clinic_name, timezone } of await listRecipients(app.db, clinicId, expires)) {
      const parameters = { name: full_name, clinic: clinic_name, days: String(daysLeft), expires: spanishInstant(expires, timezone) };
      const reference = `${clinicId}/${id}/${expiresAt}/${daysLeft}`;
      await app.mail.sendMail({ kind: 'subscription_expiring', to: email, parameters, reference }, callAs(serviceCaller('identity', clinicId)));
    }
  });
