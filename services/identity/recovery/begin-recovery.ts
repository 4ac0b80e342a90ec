// Creates the link for a new password if the e-mail address has an account.
import { audit } from '@clinic/lib/audit/audit.ts';
import { decrypt } from '@clinic/lib/crypto/crypto.ts';
import { asSystem, type SystemTx } from '@clinic/lib/db/db.ts';
import { job } from '@clinic/lib/jobs/jobs.ts';
import { findAccountByEmailIn } from '../access/accounts.sql.ts';
import type { App } from '../app.ts';
import { createLink } from '../credentials/password-links.ts';
import { countRecoveries, type RequestRow, requestContext, takeRequest } from '../credentials/recoveries.sql.ts';

/** The queue of requests for a new password. */
export const BEGIN_RECOVERY = 'begin-recovery';
/** Maximum number of mails to one account in an hour. */
const MAILS_AN_HOUR = 3;

/** As the system, because the clinic of the e-mail address is not known. */
export const beginRecovery = (app: App) =>
  job<{ id: string }>(BEGIN_RECOVERY, {}, async ({ id }) => {
    await asSystem(app.db, async (tx) => {
      const request = await takeRequest(tx, id);
      if (request) await recover(app, tx, request);
    });
  });

async function recover(app: App, tx: SystemTx, request: RequestRow): Promise<void> {
  const email = decrypt(app.keys, request.email_sealed, requestContext(request.id));
  const account = await findAccountByEmailIn(tx, email);
  if (!account?.user_active || !account.clinic_active) return;
  const { clinic_id, user_id } = account;
  const now = app.clock.now();
  if ((await countRecoveries(tx, account, new Date(now.getTime() - 3_600_000))) >= MAILS_AN_HOUR) return;
  const caller = { kind: 'anonymous' as const, id: '', ip: request.ip, requestId: request.request_id, role: '' };
  await Promise.all([
    createLink(app, tx, { clinic_id, user_id }, 'reset', now),
    audit(tx, clinic_id, caller, { action: 'user.password_reset_requested', entityId: user_id }),
  ]);
}
