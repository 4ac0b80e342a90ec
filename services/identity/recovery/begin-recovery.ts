// Creates the link for a new password if the e-mail address has an account.
import { audit } from '@clinic/lib/audit/audit.ts';
import { decrypt, encrypt } from '@clinic/lib/crypto/crypto.ts';
import { asSystem, type SystemTx } from '@clinic/lib/db/db.ts';
import { enqueue, job } from '@clinic/lib/jobs/jobs.ts';
import { v7 } from 'uuid';
import { findAccountByEmailIn } from '../access/accounts.sql.ts';
import type { App } from '../app.ts';
import { newToken } from '../credentials/tokens.ts';
import { countRecoveries, insertRecovery, type RequestRow, requestContext, takeRequest, tokenContext } from './recoveries.sql.ts';
import { BEGIN_RECOVERY, LINK_LIFETIME_MS, MAIL_RECOVERY, MAILS_AN_HOUR } from './recovery-rules.ts';

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
  const id = v7();
  const { token, hash } = newToken();
  const ciphertext = encrypt(app.keys, token, tokenContext(clinic_id, id));
  const caller = { kind: 'anonymous' as const, id: '', ip: request.ip, requestId: request.request_id, role: '' };
  await Promise.all([
    insertRecovery(tx, { clinic_id, id, user_id, hash, ciphertext, expires_at: new Date(now.getTime() + LINK_LIFETIME_MS) }, now),
    enqueue(tx, MAIL_RECOVERY, { id }),
    audit(tx, clinic_id, caller, { action: 'user.password_reset_requested', entityId: user_id }),
  ]);
}
