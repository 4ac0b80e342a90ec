// Mails the link by which a user chooses a password, through messaging. Only this job decrypts the token, and messaging encrypts it again, so no
// event, job or log contains it.
import { decrypt } from '@clinic/lib/crypto/crypto.ts';
import { asSystem } from '@clinic/lib/db/db.ts';
import { job } from '@clinic/lib/jobs/jobs.ts';
import { serviceCaller } from '@clinic/lib/rpc/caller.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import type { App } from '../app.ts';
import { type LinkMail, MAIL_RECOVERY } from '../credentials/password-links.ts';
import { deleteToken, findRecovery, tokenContext } from '../credentials/recoveries.sql.ts';

/** Safe to repeat: messaging sends one mail per reference. */
export const mailRecovery = (app: App) =>
  job<LinkMail>(MAIL_RECOVERY, {}, async ({ id, link = 'reset' }) => {
    const recovery = await findRecovery(app.db, id, app.clock.now());
    if (!recovery?.token_sealed) return;
    const token = decrypt(app.keys, recovery.token_sealed, tokenContext(recovery.clinic_id, id));
    // Browsers do not send the part after #, so the token does not appear in the logs of servers.
    const parameters = { name: recovery.full_name, clinic: recovery.clinic_name, link: `${app.publicUrl}/reset-password#token=${token}` };
    const mail = link === 'reset' ? { kind: 'password_reset', reference: id } : { kind: 'user_invited', reference: id };
    await app.mail.sendMail({ ...mail, to: recovery.email, parameters }, callAs(serviceCaller('identity', id)));
    await asSystem(app.db, (tx) => deleteToken(tx, recovery.clinic_id, id));
  });
